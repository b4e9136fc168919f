"""Evidence of the kind `reduction`: requests can be pulled together until each runs alone.

Steps are those of views (`seriatim.checking.views`). One that changes no global may be *dropped* if
whatever its target can do by kept steps, other than to come back, can be done without it: then a request
that stays where it is instead can go on in the same ways. Which ones are dropped is found by taking all
that change nothing for dropped and keeping those that turn out to be needed, until no more do.

A handler *acts at its end* if its steps change no global until one that answers, and whatever answers its
requests can be given while the globals have some values, a request that runs alone from these values can
get as well, with the same values after it. Claim: each complete run can be changed so that requests of such
handlers do all at once when they are answered, with the same outcome. For what they do before that changes
nothing for anybody, so it can be left out; and instead of the step that answers, the whole request can run.
So all that is kept of such a handler are these runs, as single steps of fresh requests.

The evidence calls some flights *late*. Claim: if no fresh flight is late, and

(a) kept steps between flights that are not late can be exchanged with any kept step of another request that
follows at once, (b) kept steps from late flights lead to late flights or to answers, and can be exchanged
with any kept step of another request that precedes at once,

then the input is serializable. For take a complete run; without its dropped steps it is a complete run with
the same outcome. Each request has one step by which it becomes late or, without having been late, is
answered: its *effect*. Order the requests by their effects. While the run is not serial in this order,
there are neighbouring steps a of a request p and b of a request q with q before p in that order. Were a not
before p's effect, nor b after q's, then p's effect would come before q's. So (a) applies to a, or (b)
applies to b, and the two can be exchanged: one pair less is out of order, the effects are in the same
order, and so is the outcome. In the end the run is serial.

Steps of two requests concern only what their handlers mention. So pairs of views that agree on what both
handlers mention stand for all the states in which the two steps can occur.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.posing import Task
from seriatim.checking.reference import Part, ProgramReference
from seriatim.checking.views import Names, Target, View, Views
from seriatim.checking.weights import with_unbroken
from seriatim.checking.words import counted
from seriatim.closure import closure

NOT_LATE = "no request is late from the start, and a late request stays late"
RIGHT = "steps before a request takes effect can be made later"
LEFT = "steps after a request takes effect can be made earlier"

Step = tuple[View, tuple[Target, Part]]


def obligations(task: Task[ReductionEvidence]) -> Iterator[Obligation]:
    """The conditions of the claim; of a program, since a network system has no variables."""
    views = close_views(task.needs_program(), task.evidence, task.context.allowance)
    late = late_flights(views, task.evidence.late)
    steps = KeptSteps(views, {views.handler(flight) for flight in late})
    early = sorted(flight for flight in late if flight in views.fresh.values())
    relapsing = (
        flight
        for (flight, _), (target, _) in steps.all()
        if flight in late and isinstance(target, int) and target not in late
    )
    bad = (f"not so in `{views.handler(flight)}`" for flight in chain(early, relapsing))
    found = f"{counted(len(views.steps), 'view')} of {counted(len(views.names), 'handler')}"
    yield unless(next(bad, None), NOT_LATE, found)
    for claim, is_asked in (
        (RIGHT, lambda target, _: isinstance(target, int) and target not in late),
        (LEFT, lambda _, following: following in late),
    ):
        yield unless(steps.stuck(is_asked), claim, "exchanged with all others, two handlers at a time")


def close_views(reference: ProgramReference, evidence: ReductionEvidence, allowance: Allowance) -> Views:
    """The views, without the invariants that do not hold."""
    return with_unbroken(evidence.invariants, reference.names, lambda kept: Views(reference, kept, allowance))


def late_flights(views: Views, late: tuple[Waiting, ...]) -> set[int]:
    """The flights that the evidence describes."""
    described: dict[tuple[str, str], list[Waiting]] = {}
    for waiting in late:
        described.setdefault((waiting.handler, waiting.code), []).append(waiting)
    found: set[int] = set()
    for flight in range(len(views.flights)):
        handler, state = views.flights[flight]
        code, values = views.reference.description(state)
        if any(set(waiting.values) <= set(values) for waiting in described.get((handler, code), ())):
            found.add(flight)
    return found


def in_one_go(views: Views, handler: str) -> dict[View, set[tuple[Target, Part]]] | None:
    """For a handler that acts at its end, what is kept of the steps of each view: those of fresh requests are
    whole runs, others have none. None for another handler."""
    fresh = views.fresh[handler]
    own = [(flight, part) for flight, part in views.steps if views.handler(flight) == handler]
    answers: dict[Part, set[tuple[Target, Part]]] = {}
    for view in own:
        for target, after in views.steps[view]:
            if isinstance(target, str):
                answers.setdefault(view[1], set()).add((target, after))
            elif after != view[1]:
                return None

    def following(at: tuple[Target, Part]) -> Iterable[tuple[Target, Part]]:
        target, part = at
        return () if isinstance(target, str) else views.steps.get((target, part), ())

    for part, given in answers.items():
        start: tuple[Target, Part] = fresh, part
        if not given <= closure([start], following).keys():
            return None
    return {view: answers.get(view[1], set()) if view[0] == fresh else set() for view in own}


class KeptSteps:
    """All steps of views but those that may be dropped, and which of them can be exchanged."""

    def __init__(self, views: Views, with_late: set[str]) -> None:
        """Handlers with late flights act before their end, or so the evidence says."""
        self.views = views
        all_steps = dict(views.steps)
        for handler in views.names.keys() - with_late:
            all_steps |= in_one_go(views, handler) or {}
        where: dict[int, list[Part]] = {}
        for flight, part in all_steps:
            where.setdefault(flight, []).append(part)
        dropped: set[tuple[int, int]] = {
            (flight, target)
            for (flight, _), steps in all_steps.items()
            for target, _ in steps
            if isinstance(target, int)
        }
        """(from, to): who need not take those steps that change no global."""
        while True:
            self.kept = {
                (flight, part): {
                    (target, after)
                    for target, after in steps - {(flight, part)}
                    if after != part or (flight, target) not in dropped
                }
                for (flight, part), steps in all_steps.items()
            }
            needed = {
                (flight, target)
                for flight, target in dropped
                for part in where[target]
                if not self.kept[target, part] - {(flight, part)} <= self.kept.get((flight, part), set())
            }
            if not needed:
                break
            dropped -= needed
        self._from: dict[tuple[str, str, Part], list[View]] = {}
        for view in self.kept:
            handler = views.handler(view[0])
            for other in views.neighbours[handler]:
                here = (handler, other, views.of(handler, view[1], views.shared(handler, other)))
                self._from.setdefault(here, []).append(view)

    def all(self) -> Iterator[Step]:
        for view, steps in self.kept.items():
            for step in steps:
                yield view, step

    def stuck(self, is_asked: Callable[[Target, int], bool]) -> str | None:
        """Two steps that cannot be exchanged though that is asked, in words.

        It is asked of the target of the first step, and of the flight of another request that goes next."""
        for step in self.all():
            handler = self.views.handler(step[0][0])
            for other in self.views.neighbours[handler]:
                if not self.exchanges(step, handler, other, is_asked):
                    return f"a step of `{handler}` does not commute with one of `{other}`"
        return None

    def exchanges(
        self, step: Step, handler: str, other: str, is_asked: Callable[[Target, int], bool]
    ) -> bool:
        """Whether t · s leads wherever s · t does, for this step s and all steps t of the other handler of
        which it is asked."""
        (flight, part), (target, after) = step
        views, both = self.views, self.views.shared(handler, other)
        first, then = views.of(handler, part, both), views.of(handler, after, both)
        for other_flight, before in self._from.get((other, handler, first), ()):
            views.allowance.deadline.check()
            if not is_asked(target, other_flight) or not views.can_meet(flight, other_flight, both, first):
                continue
            between = views.with_(other, before, both, then)
            for other_target, end in self.kept.get((other_flight, between), ()):
                last = views.of(other, end, both)
                wanted = (target, views.with_(handler, after, both, last))
                if not any(
                    other_target == sooner
                    and views.with_(other, middle, both, last) == end
                    and wanted in self.steps_from(flight, handler, part, both, views.of(other, middle, both))
                    for sooner, middle in self.kept[other_flight, before]
                ):
                    return False
        return True

    def steps_from(
        self, flight: int, handler: str, part: Part, names: Names, values: Part
    ) -> set[tuple[Target, Part]]:
        """The kept steps of a view in which some globals have other values."""
        return self.kept.get((flight, self.views.with_(handler, part, names, values)), set())
