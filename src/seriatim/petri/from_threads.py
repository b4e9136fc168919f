"""The petrified net of a program with threads: the control flow of β instances of each template.

The construction is the paper's: places for every place of every instance, for whether an instance is in
use, for failures, and for a fork that finds no free instance. Guards and assignments are left out, so the
net has more runs than the program; names of transitions tell what they stand for.
"""

from seriatim.petri.net import PetriNet, Transition
from seriatim.program.threads.syntax import (
    FINISHED,
    Assert,
    Edge,
    Fork,
    Join,
    Template,
    ThreadProgram,
    actions,
    results_fit,
)

Instance = tuple[str, int]
"""A template and the number of an instance; 0 is main as it begins."""


def petrify(program: ThreadProgram, bound: int) -> PetriNet:
    return _Construction(program, bound).net()


class _Construction:
    def __init__(self, program: ThreadProgram, bound: int) -> None:
        self.program = program
        self.bound = bound
        self.places: dict[str, int] = {}
        self.transitions: list[Transition] = []
        names = dict.fromkeys(each.template for _, _, each in actions(program) if isinstance(each, Fork))
        self.forked = list(names)

    def place(self, name: str) -> int:
        return self.places.setdefault(name, len(self.places))

    def at(self, instance: Instance, place: int) -> int:
        template, number = instance
        label = "done" if place == FINISHED else str(place)
        return self.place(f"{template}[{number}] {label}" if number else f"{template} {label}")

    def in_use(self, instance: Instance) -> int:
        return self.place("{}[{}] in use".format(*instance))

    def free(self, instance: Instance) -> int:
        return self.place("{}[{}] free".format(*instance))

    def net(self) -> PetriNet:
        main = self.program.main_template
        start = self.at((main.name, 0), main.entry)
        free = [self.free((name, number)) for name in self.forked for number in range(1, self.bound + 1)]
        self.instance((main.name, 0), main)
        for name in self.forked:
            for number in range(1, self.bound + 1):
                self.instance((name, number), self.program.by_name[name])
        marked = {start, *free}
        initial = tuple(int(place in marked) for place in self.places.values())
        return PetriNet(tuple(self.places), tuple(self.transitions), initial)

    def instance(self, instance: Instance, template: Template) -> None:
        for edge in template.edges:
            source, target = self.at(instance, edge.source), self.at(instance, edge.target)
            label = self.label(instance, edge)
            fork = next((each for each in edge.actions if isinstance(each, Fork)), None)
            join = next((each for each in edge.actions if isinstance(each, Join)), None)
            if any(isinstance(each, Assert) for each in edge.actions):
                self.add(f"{label} fails", (source,), (self.place(f"{template.name} failed"),))
            if fork is not None:
                self.fork(fork.template, label, source, target)
            elif join is not None:
                self.join(instance, template, join, label, (source, target))
            else:
                self.add(label, (source,), (target,))

    def fork(self, name: str, label: str, source: int, target: int) -> None:
        """The free instance with the lowest number is taken; without one, the bound is too small."""
        entry = self.program.by_name[name].entry
        for number in range(1, self.bound + 1):
            others = tuple(self.in_use((name, lower)) for lower in range(1, number))
            started = (self.at((name, number), entry), self.in_use((name, number)))
            taken = (source, self.free((name, number)), *others)
            self.add(f"{label} as {number}", taken, (target, *started, *others))
        used = tuple(self.in_use((name, number)) for number in range(1, self.bound + 1))
        self.add(f"{label}, none is free", (source, *used), (*used, self.place(f"{name} insufficient")))

    def join(
        self, instance: Instance, template: Template, join: Join, label: str, ends: tuple[int, int]
    ) -> None:
        for name in self.forked:
            if not results_fit(self.program, template, join, self.program.by_name[name]):
                continue
            for number in range(1, self.bound + 1):
                other = (name, number)
                if other != instance:
                    taken = (ends[0], self.at(other, FINISHED), self.in_use(other))
                    self.add(f"{label} of {name}[{number}]", taken, (ends[1], self.free(other)))

    def label(self, instance: Instance, edge: Edge) -> str:
        name, number = instance
        who = f"{name}[{number}]" if number else name
        return f"{who} line {edge.span.line}: {edge.text}"

    def add(self, name: str, taken: tuple[int, ...], given: tuple[int, ...]) -> None:
        self.transitions.append(Transition(f"t{len(self.transitions)} {name}", taken, given))
