"""Starts a desktop, types into an editor, and saves a picture of it.

python examples/hello.py [PICTURE]
"""

import sys

import shinken


def main(picture: str = "hello.png") -> None:
    with shinken.connect() as env:
        print(env)
        env.launch("mousepad")
        env.type("Hello, 世界! ☕\n")
        shot = env.screenshot()
        shot.save(picture)
        print(f"{picture}: {shot.w} x {shot.h} pixels")


if __name__ == "__main__":
    main(*sys.argv[1:])
