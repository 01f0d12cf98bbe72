"""Sessions for asyncio. The package `shinken.sync` is written from this one by `cargo xtask schema`."""
