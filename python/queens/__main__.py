"""Runs the program: `queens 8`, or `python -m queens 8` where its folder is not in PATH."""

import signal
import sys
from typing import cast

from . import _queens  # type: ignore[attr-defined]


def main() -> int:
    """Runs the program with the arguments of this process, and returns its exit code."""
    # Until the program installs its own handler, Ctrl-C ends this process immediately, as it would end the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return cast(int, _queens.main(["queens", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
