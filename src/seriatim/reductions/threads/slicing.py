"""Which variables of a thread program matter to whether something fails.

Assertions, divisions, ranges, ids and results matter, and what they are computed from. A test matters if
what it decides does: whatever can still happen after a step that waits, and of a test with both outcomes,
what lies between it and the place where its branches meet. A loop that reads something shared may wait for
another thread, so its test decides about whatever follows; of other loops, and of those that only count with
a shared variable, it is not asked that they end.
Variables that do not matter can be dropped (`seriatim.program.threads.reduction`); if the smaller program is
safe, so is the larger one. The converse does not hold: without a test, a program may do more.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from seriatim.program.threads.movers import always_can
from seriatim.program.threads.reduction import Name, is_harmless
from seriatim.program.threads.syntax import (
    FINISHED,
    Action,
    Assert,
    Assign,
    Assume,
    Edge,
    Fork,
    Join,
    Template,
    ThreadProgram,
    actions,
    expressions,
    reads,
)
from seriatim.terms.expressions import Expression, can_divide_by_zero, variables


def irrelevant(program: ThreadProgram) -> tuple[Name, ...]:
    """The variables that can be dropped."""
    slicing = _Slicing(program)
    every = [("", name) for name in program.types]
    every += [(template.name, name) for template in program.templates for name in template.types]
    return tuple(name for name in every if name not in slicing.relevant)


class _Slicing:
    def __init__(self, program: ThreadProgram) -> None:
        self.program = program
        self.relevant: set[Name] = set()
        for template in program.templates:
            self.relevant |= {(template.name, name) for name in template.results}
        regions = {template.name: _Regions(template) for template in program.templates}
        size = -1
        while size != len(self.relevant):
            size = len(self.relevant)
            for template, edge, action in actions(program):
                for expression in self.list_needed(template, edge, action, regions[template.name]):
                    self.relevant |= {self.name(template, each) for each in variables(expression)}
                if isinstance(action, Join):
                    self.relevant |= {self.name(template, each) for each in action.targets}
                if isinstance(action, Assign):
                    self.note_ranges(template, action)
                if isinstance(action, Fork):
                    self.note_parameters(template, action)

    def name(self, template: Template, name: str) -> Name:
        return (template.name if name in template.types else "", name)

    def list_needed(
        self, template: Template, edge: Edge, action: Action, regions: "_Regions"
    ) -> tuple[Expression, ...]:
        """The expressions of an action that matter."""
        risky = tuple(each for each in expressions(action) if can_divide_by_zero(each))
        match action:
            case Assert():
                return expressions(action)
            case Assume():
                return expressions(action) if self.decides(template, edge, regions) else risky
            case Assign(targets=targets, values=values):
                pairs = zip(targets, values, strict=True)
                return (*risky, *(v for t, v in pairs if self.name(template, t) in self.relevant))
            case Fork(id=identity, template=started, arguments=arguments):
                pairs = zip(self.program.by_name[started].parameters, arguments, strict=True)
                needed = [value for parameter, value in pairs if (started, parameter) in self.relevant]
                return (identity, *risky, *needed)
            case Join():
                return expressions(action)
            case _:
                return risky

    def note_ranges(self, template: Template, assign: Assign) -> None:
        """A variable stays if a value might not fit into it."""
        for target, value in zip(assign.targets, assign.values, strict=True):
            if not is_harmless(self.program, template, value, self.program.type_of(template, target)):
                self.relevant.add(self.name(template, target))

    def note_parameters(self, template: Template, fork: Fork) -> None:
        started = self.program.by_name[fork.template]
        for parameter, value in zip(started.parameters, fork.arguments, strict=True):
            if not is_harmless(self.program, template, value, started.types[parameter]):
                self.relevant.add((started.name, parameter))

    def decides(self, template: Template, edge: Edge, regions: "_Regions") -> bool:
        """Whether what a test decides matters."""
        return any(self.matters(template, each) for each in regions.list_decided(edge.source))

    def matters(self, template: Template, edge: Edge) -> bool:
        """Whether a step fails, starts or joins threads, ends the thread, or changes what matters."""
        if edge.target == FINISHED and self.program.has_joins:
            return True
        for action in edge.actions:
            match action:
                case Assert() | Fork() | Join():
                    return True
                case Assume():
                    if any(self.name(template, each) in self.relevant for each in reads(action)):
                        return True
                case Assign(targets=targets):
                    if any(self.name(template, each) in self.relevant for each in targets):
                        return True
                case _:
                    if self.name(template, action.target) in self.relevant:
                        return True
        return False


class _Regions:
    """Which steps a test at a place decides about."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.after = self.certain()
        self.found: dict[int, tuple[Edge, ...]] = {}

    def certain(self) -> dict[int, frozenset[int]]:
        """The places to which every way from a place leads that goes on to an end, itself included. A way
        into an endless loop ends where it enters the loop: otherwise, no way would go on from the tests
        before the loop, and they would seem to decide nothing."""
        places = frozenset((*self.template.places, FINISHED))
        following = {
            place: [edge.target for _, edge in self.template.edges_from.get(place, ())] for place in places
        }
        ends = self.list_ends(following)
        after = dict.fromkeys(places, places)
        changed = True
        while changed:
            changed = False
            for place in places:
                common = (
                    frozenset.intersection(*(after[each] for each in following[place]))
                    if place not in ends
                    else frozenset()
                )
                if after[place] != common | {place}:
                    after[place] = common | {place}
                    changed = True
        return after

    def list_ends(self, following: dict[int, list[int]]) -> set[int]:
        """Places where nothing follows, and one of each endless loop: where control enters it first."""
        before: dict[int, list[int]] = {}
        for place, targets in following.items():
            for target in targets:
                before.setdefault(target, []).append(place)
        ends = {place for place, targets in following.items() if not targets}
        ending = set(_reached(ends, before))
        for place in _reached([self.template.entry], following):
            if place in ending:
                continue
            leading = set(_reached([place], before))
            if leading.issuperset(_reached([place], following)):
                ends.add(place)
                ending |= leading
        return ends

    def list_decided(self, place: int) -> tuple[Edge, ...]:
        """The steps from a place up to where its branches meet; all that follow if it may wait."""
        if place not in self.found:
            edges = tuple(edge for _, edge in self.template.edges_from.get(place, ()))
            meets = self.after[place] - {place} if len(edges) > 1 and always_can(edges) else frozenset()
            steps = self.steps_before(place, meets)
            self.found[place] = self.steps_before(place, frozenset()) if self.spins(place, steps) else steps
        return self.found[place]

    def steps_before(self, place: int, meets: frozenset[int]) -> tuple[Edge, ...]:
        seen: set[int] = set()
        pending, steps = [place], list[Edge]()
        while pending:
            here = pending.pop()
            if here in seen or here in meets:
                continue
            seen.add(here)
            for _, edge in self.template.edges_from.get(here, ()):
                steps.append(edge)
                pending.append(edge.target)
        return tuple(steps)

    def spins(self, place: int, steps: tuple[Edge, ...]) -> bool:
        """Whether a loop comes back to a test and reads something that other threads may change, unless it
        counts by itself, as `x := x + 1` does."""
        if not any(edge.target == place for edge in steps):
            return False
        happening = [action for edge in steps for action in edge.actions]
        read = {name for action in happening for name in reads(action)}
        counted = {
            target
            for action in happening
            if isinstance(action, Assign)
            for target, value in zip(action.targets, action.values, strict=True)
            if target in variables(value)
        }
        return not read - counted <= self.template.types.keys()


def _reached(starts: Iterable[int], following: dict[int, list[int]]) -> Iterator[int]:
    """The places to which ways from some places lead, these included, near ones first."""
    pending = deque(starts)
    seen = set(pending)
    while pending:
        place = pending.popleft()
        yield place
        for target in following.get(place, []):
            if target not in seen:
                seen.add(target)
                pending.append(target)
