"""Puts a folder on a desktop, has programs there work on it, and gets the result and a log.

python examples/files.py [FOLDER_FOR_THE_RESULT]
"""

import sys
import tempfile
from pathlib import Path

import shinken


def main(results: str = "results") -> None:
    with tempfile.TemporaryDirectory() as folder, shinken.connect() as env:
        task = Path(folder) / "task"
        task.mkdir()
        for month in range(1, 13):
            (task / f"{month:02}.csv").write_text(f"{month},{month * month}\n")

        # Providers without isolation share the disk of this machine; a folder of its own keeps things apart.
        there = env.exec(["mktemp", "-d"]).check().stdout.strip()
        copied = env.put_dir(task, f"{there}/task", progress=True)
        print(f"{copied.files} files, {copied.bytes} bytes are there")

        env.exec(shell="cat task/*.csv | sort -t, -k2 -n -r > sorted.csv", cwd=there).check()
        env.get_file(f"{there}/sorted.csv", f"{results}/sorted.csv")
        print("the largest:", Path(results, "sorted.csv").read_text().splitlines()[0])

        # A file in the store of artifacts is found by what is in it, and is sent once.
        artifact = env.artifacts.upload(f"{results}/sorted.csv")
        again = env.artifacts.upload(f"{results}/sorted.csv")
        print(f"{artifact.name} is {artifact.sha256[:12]}…; the second time it was there already: {again.already}")
        env.exec(["rm", "-r", there]).check()


if __name__ == "__main__":
    main(*sys.argv[1:])
