"""Starts eight desktops and has the same done on all of them at once.

python examples/eight.py [FOLDER_FOR_THE_PICTURES]
"""

import sys
import time
from pathlib import Path

import shinken


def work(env: shinken.Env) -> shinken.Screenshot:
    env.launch("xterm", "-e", "sh")
    env.type(f"echo I am desktop {env.id}\n")
    # A picture that shows what was typed: the terminal has drawn when two in a row are the same.
    shot = env.screenshot()
    while True:
        env.wait(100)
        again = env.screenshot()
        if again.frame_hash == shot.frame_hash:
            return again
        shot = again


def main(folder: str = "eight") -> None:
    Path(folder).mkdir(exist_ok=True)
    begun = time.monotonic()
    with shinken.fleet(8, size=(640, 400)) as fleet:
        print(f"{len(fleet)} desktops after {time.monotonic() - begun:.1f} s")
        for env, shot in zip(fleet, fleet.map(work), strict=True):
            shot.save(f"{folder}/{env.id}.png")
        print(f"{len(fleet)} pictures in {folder} after {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
