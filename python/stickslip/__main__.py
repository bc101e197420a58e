"""``python -m stickslip`` and the command ``stickslip``: the whole program."""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> int:
    """Runs the program with the arguments of this process."""
    # The program does not ask the interpreter whether Ctrl-C was pressed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.program(["stickslip", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
