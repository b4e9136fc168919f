"""What exit codes mean; scripts rely on them."""

from enum import IntEnum


class ExitCode(IntEnum):
    YES = 0
    """Serializable; the certificate is valid; done."""
    NO = 1
    """Not serializable; the certificate is refused; a run got stuck."""
    BAD_INPUT = 2
    """Bad input or usage."""
    UNKNOWN = 3
    """Undecided: a limit was reached, or no method applies."""
    INTERRUPTED = 130
    """By Ctrl-C: 128 + SIGINT, as shells count."""
    CLOSED_PIPE = 141
    """The reader of our output went away: 128 + SIGPIPE."""
