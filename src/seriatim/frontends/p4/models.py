"""The three models of atomicity: each says what one step of a packet is."""

from enum import StrEnum


class Model(StrEnum):
    """The models of atomicity, the weakest first."""

    SPEC = "spec"
    """A step is one operation on a register, or an `@atomic` block: what the language promises."""
    ACTION = "action"
    """A step may also be a whole action."""
    BMV2 = "bmv2"
    """A step is ingress as a whole, or an action of egress, which has four threads."""


EGRESS_THREADS = 4
"""The egress threads of BMv2: a port's packets are served by the thread with its number modulo 4."""
