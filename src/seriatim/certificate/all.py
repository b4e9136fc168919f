"""Evidence to and from JSON: all kinds, with a line each where they are named, written and read.

Each kind is loaded when the first evidence of it is met.
"""

from typing import TYPE_CHECKING, Literal, assert_never, get_args

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence

Kind = Literal[
    "run",
    "folded-run",
    "atomic",
    "commit",
    "reduction",
    "linear-cover",
    "tree",
    "chains",
    "cycle",
    "no-cycle",
    "points",
    "fault-run",
    "no-fault",
    "thread-run",
    "thread-cover",
    "thread-modular",
    "petrified",
    "stuck-run",
    "never-stuck",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


def fields(evidence: "Evidence") -> dict[str, object]:  # noqa: C901 - an arm a case
    """What a certificate says after its header."""
    match evidence.kind:
        case "run":
            from seriatim.certificate import run

            return run.fields(evidence)
        case "folded-run":
            from seriatim.certificate import folded_run

            return folded_run.fields(evidence)
        case "atomic":
            from seriatim.certificate import atomic

            return atomic.fields(evidence)
        case "commit":
            from seriatim.certificate import commit

            return commit.fields(evidence)
        case "reduction":
            from seriatim.certificate import reduction

            return reduction.fields(evidence)
        case "linear-cover":
            from seriatim.certificate import linear_cover

            return linear_cover.fields(evidence)
        case "tree":
            from seriatim.certificate import tree

            return tree.fields(evidence)
        case "chains":
            from seriatim.certificate import chains

            return chains.fields(evidence)
        case "cycle":
            from seriatim.certificate import cycle

            return cycle.fields(evidence)
        case "no-cycle":
            from seriatim.certificate import no_cycle

            return no_cycle.fields(evidence)
        case "points":
            from seriatim.certificate import points

            return points.fields(evidence)
        case "fault-run":
            from seriatim.certificate import fault_run

            return fault_run.fields(evidence)
        case "no-fault":
            from seriatim.certificate import no_fault

            return no_fault.fields(evidence)
        case "thread-run":
            from seriatim.certificate import thread_run

            return thread_run.fields(evidence)
        case "thread-cover":
            from seriatim.certificate import thread_cover

            return thread_cover.fields(evidence)
        case "thread-modular":
            from seriatim.certificate import thread_modular

            return thread_modular.fields(evidence)
        case "petrified":
            from seriatim.certificate import petrified

            return petrified.fields(evidence)
        case "stuck-run":
            from seriatim.certificate import stuck_run

            return stuck_run.fields(evidence)
        case "never-stuck":
            from seriatim.certificate import never_stuck

            return never_stuck.fields(evidence)
        case _:
            assert_never(evidence.kind)


def read(kind: Kind, body: dict[str, object]) -> "Evidence":  # noqa: C901 - an arm a case
    """The evidence that follows a header; raises `InputError` where it departs from the format at all."""
    match kind:
        case "run":
            from seriatim.certificate import run

            return run.read(body)
        case "folded-run":
            from seriatim.certificate import folded_run

            return folded_run.read(body)
        case "atomic":
            from seriatim.certificate import atomic

            return atomic.read(body)
        case "commit":
            from seriatim.certificate import commit

            return commit.read(body)
        case "reduction":
            from seriatim.certificate import reduction

            return reduction.read(body)
        case "linear-cover":
            from seriatim.certificate import linear_cover

            return linear_cover.read(body)
        case "tree":
            from seriatim.certificate import tree

            return tree.read(body)
        case "chains":
            from seriatim.certificate import chains

            return chains.read(body)
        case "cycle":
            from seriatim.certificate import cycle

            return cycle.read(body)
        case "no-cycle":
            from seriatim.certificate import no_cycle

            return no_cycle.read(body)
        case "points":
            from seriatim.certificate import points

            return points.read(body)
        case "fault-run":
            from seriatim.certificate import fault_run

            return fault_run.read(body)
        case "no-fault":
            from seriatim.certificate import no_fault

            return no_fault.read(body)
        case "thread-run":
            from seriatim.certificate import thread_run

            return thread_run.read(body)
        case "thread-cover":
            from seriatim.certificate import thread_cover

            return thread_cover.read(body)
        case "thread-modular":
            from seriatim.certificate import thread_modular

            return thread_modular.read(body)
        case "petrified":
            from seriatim.certificate import petrified

            return petrified.read(body)
        case "stuck-run":
            from seriatim.certificate import stuck_run

            return stuck_run.read(body)
        case "never-stuck":
            from seriatim.certificate import never_stuck

            return never_stuck.read(body)
        case _:
            assert_never(kind)
