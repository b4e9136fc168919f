"""What is one step of a packet: the three models of atomicity."""

from enum import StrEnum


class Model(StrEnum):
    """The weakest first."""

    SPEC = "spec"
    """One operation on a register, or an `@atomic` block: what the language promises."""
    ACTION = "action"
    """Also an action."""
    BMV2 = "bmv2"
    """Ingress as a whole; in egress, which has four threads, an action."""


EGRESS_THREADS = 4
"""The egress threads of BMv2: a port's packets are served by the thread with its number modulo 4."""
