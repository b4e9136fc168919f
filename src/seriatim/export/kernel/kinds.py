"""Which kernel to ask: the extracted program, or Rocq."""

from enum import StrEnum


class KernelKind(StrEnum):
    NATIVE = "native"
    ROCQ = "rocq"
