"""What can go wrong: each is a `QueensError` and what Python has for its kind."""


class QueensError(Exception):
    """Any error of this package that says something about the problem or the machine."""


class InvalidArgument(QueensError, ValueError):
    """A value that cannot be used; the message names it and what is accepted."""


class NotEnoughMemory(QueensError, MemoryError):
    """The machine, or `memory=`, has less than the count needs."""


class MachineError(QueensError, OSError):
    """The operating system refused something: threads that cannot be started, for one."""


class Contradiction(QueensError):
    """A total that contradicts a published value, a symmetry or a second count: none is given."""


class Cancelled(QueensError):
    """`Counter.cancel` ended the count."""
