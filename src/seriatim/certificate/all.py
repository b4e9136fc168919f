"""All kinds of evidence, a line each where they are listed, written and read."""

from typing import Literal, assert_never, get_args

from seriatim.certificate import (
    atomic,
    chains,
    commit,
    cycle,
    fault_run,
    folded_run,
    linear_cover,
    no_cycle,
    no_fault,
    petrified,
    points,
    reduction,
    run,
    thread_cover,
    thread_modular,
    thread_run,
    tree,
)

Evidence = (
    run.RunEvidence
    | folded_run.FoldedRunEvidence
    | atomic.AtomicEvidence
    | commit.CommitEvidence
    | reduction.ReductionEvidence
    | linear_cover.CoverEvidence
    | tree.TreeEvidence
    | chains.ChainEvidence
    | cycle.CycleEvidence
    | no_cycle.NoCycleEvidence
    | points.PointsEvidence
    | fault_run.FaultRunEvidence
    | no_fault.NoFaultEvidence
    | thread_run.ThreadRunEvidence
    | thread_cover.ThreadCoverEvidence
    | thread_modular.ThreadModularEvidence
    | petrified.PetrifiedEvidence
)

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
]
KINDS: tuple[Kind, ...] = get_args(Kind)


def fields(evidence: Evidence) -> dict[str, object]:
    """What a certificate says after its header."""
    match evidence:
        case run.RunEvidence():
            return run.fields(evidence)
        case folded_run.FoldedRunEvidence():
            return folded_run.fields(evidence)
        case atomic.AtomicEvidence():
            return atomic.fields(evidence)
        case commit.CommitEvidence():
            return commit.fields(evidence)
        case reduction.ReductionEvidence():
            return reduction.fields(evidence)
        case linear_cover.CoverEvidence():
            return linear_cover.fields(evidence)
        case tree.TreeEvidence():
            return tree.fields(evidence)
        case chains.ChainEvidence():
            return chains.fields(evidence)
        case cycle.CycleEvidence():
            return cycle.fields(evidence)
        case no_cycle.NoCycleEvidence():
            return no_cycle.fields(evidence)
        case points.PointsEvidence():
            return points.fields(evidence)
        case fault_run.FaultRunEvidence():
            return fault_run.fields(evidence)
        case no_fault.NoFaultEvidence():
            return no_fault.fields(evidence)
        case thread_run.ThreadRunEvidence():
            return thread_run.fields(evidence)
        case thread_cover.ThreadCoverEvidence():
            return thread_cover.fields(evidence)
        case thread_modular.ThreadModularEvidence():
            return thread_modular.fields(evidence)
        case petrified.PetrifiedEvidence():
            return petrified.fields(evidence)
        case _:
            assert_never(evidence)


def read(kind: Kind, body: dict[str, object]) -> Evidence:
    """The evidence that follows a header; raises `InputError` where it departs from the format at all."""
    match kind:
        case "run":
            return run.read(body)
        case "folded-run":
            return folded_run.read(body)
        case "atomic":
            return atomic.read(body)
        case "commit":
            return commit.read(body)
        case "reduction":
            return reduction.read(body)
        case "linear-cover":
            return linear_cover.read(body)
        case "tree":
            return tree.read(body)
        case "chains":
            return chains.read(body)
        case "cycle":
            return cycle.read(body)
        case "no-cycle":
            return no_cycle.read(body)
        case "points":
            return points.read(body)
        case "fault-run":
            return fault_run.read(body)
        case "no-fault":
            return no_fault.read(body)
        case "thread-run":
            return thread_run.read(body)
        case "thread-cover":
            return thread_cover.read(body)
        case "thread-modular":
            return thread_modular.read(body)
        case "petrified":
            return petrified.read(body)
        case _:
            assert_never(kind)
