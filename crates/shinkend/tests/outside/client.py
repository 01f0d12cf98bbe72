"""An outside client of ACI v0, written from the protocol's text and schema alone, with nothing but Python.

    ACI_ADDRESS=ws://127.0.0.1:PORT/aci ACI_TOKEN=... python3 client.py [words]

With words, only the checks that have all of them in the name of their file and their own. It needs a desktop of its own with `xterm` on it, prints a line for each check, and exits with 1 where one fails.
"""

import sys
import time
import traceback

import checks_desktop
import checks_exec
import checks_pictures
import checks_socket
import checks_talk


def main(words):
    failed = ran = 0
    for module in (checks_talk, checks_socket, checks_exec, checks_pictures, checks_desktop):
        for name, check in list(vars(module).items()):
            if not name.startswith("check_") or not all(word in f"{module.__name__} {name}" for word in words):
                continue
            ran += 1
            title, start = name.removeprefix("check_").replace("_", " "), time.monotonic()
            try:
                note = check()
                line = f"ok    {title}" + (f" ({note})" if note else "")
            except Exception as error:  # One failed check must not hide the others.
                failed += 1
                frame = [frame for frame in traceback.extract_tb(error.__traceback__) if "checks_" in frame.filename][-1]
                kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
                line = f"FAIL  {title}: {kind}{error} (line {frame.lineno}: {frame.line})"
            print(f"{line} [{time.monotonic() - start:.1f} s]", flush=True)
    print(f"{ran - failed} of {ran} checks passed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
