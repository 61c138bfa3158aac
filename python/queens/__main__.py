"""Runs the program: `python -m queens 8` is the same as `queens 8`."""

import signal
import sys

from . import _queens  # type: ignore[attr-defined]

if __name__ == "__main__":
    # Until the program installs its own handler, Ctrl-C ends this process immediately, as it would end the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_queens.main(["queens", *sys.argv[1:]]))
