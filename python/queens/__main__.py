"""The program: `python -m queens 8` is `queens 8`."""

import signal
import sys

from . import _queens  # type: ignore[attr-defined]

if __name__ == "__main__":
    # Ctrl-C ends it at once, as it ends the program, until that listens for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_queens.main(["queens", *sys.argv[1:]]))
