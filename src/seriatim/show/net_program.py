"""Maps runs of an exported net to runs of the program that it was made from."""

from seriatim.budget import Deadline
from seriatim.explain.telling import show_run
from seriatim.explain.timeline import ShownRun
from seriatim.petri.from_system import interleaving_net
from seriatim.petri.net import PetriNet
from seriatim.petri.system_runs import system_run
from seriatim.program.inputs import Input
from seriatim.source import SourceText
from seriatim.systems.closure import closure
from seriatim.systems.from_input import explain_limit, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.numbered_system import number_system


class AnotherNet(Exception):
    """The net was not made from this program."""


def program_run(
    net: PetriNet,
    firings: tuple[int, ...],
    content: Input,
    source: SourceText,
    limits: Limits,
    deadline: Deadline,
) -> ShownRun:
    """The run of the program for some firings; raises `AnotherNet`, `LimitReached` or `OutOfBudget`."""
    origin = unfold(content, limits, deadline)
    try:
        numbered = number_system(origin, closure(origin, limits, deadline))
    except LimitReached as reached:
        raise explain_limit(reached, origin) from None
    interleaving = interleaving_net(numbered.system)
    own = interleaving.net
    if not is_extended(own, net):
        raise AnotherNet
    return show_run(system_run(interleaving, numbered, origin, firings), origin, source)


def is_extended(part: PetriNet, whole: PetriNet) -> bool:
    """Whether a net begins with another one; additional places and transitions may serve a query."""
    places, transitions = len(part.places), len(part.transitions)
    flows = [(t.name, sorted(t.pre), sorted(t.post)) for t in part.transitions]
    return (
        whole.places[:places] == part.places
        and whole.initial[:places] == part.initial
        and [(t.name, sorted(t.pre), sorted(t.post)) for t in whole.transitions[:transitions]] == flows
    )
