# Written from ../aio by `cargo xtask schema`; change it there.
"""Sessions whose calls wait in the thread that makes them."""
