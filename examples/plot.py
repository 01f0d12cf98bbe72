"""Runs code in the sandbox, in an interpreter that keeps its state, and gets a plot back.

python examples/plot.py [PICTURE]

The plot needs matplotlib for the interpreter of the desktop (Debian: python3-matplotlib), not for this one.
"""

import sys

import shinken


def main(picture: str = "plot.png") -> None:
    # Code is off unless it is granted.
    with shinken.init(grant=["run"], python="/usr/bin/python3") as env:
        env.run("import math\nwave = [math.sin(x / 10) for x in range(100)]").check()

        # What one call has defined the next one knows.
        result = env.run("max(wave)").check()
        print("the maximum is", result.value)

        plotted = env.run("import matplotlib.pyplot as plt\nplt.plot(wave)\nplt.title('a wave')").check()
        with open(picture, "wb") as file:
            file.write(plotted.pngs[0])
        print(f"{picture}: {len(plotted.pngs[0])} bytes")

        # A mistake is a traceback, and the interpreter goes on.
        print(env.run("1 / 0").error)
        print(env.run("len(wave)").value)


if __name__ == "__main__":
    main(*sys.argv[1:])
