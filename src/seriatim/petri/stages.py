"""The stages through which every run goes: strongly connected components of the control, in order.

Some places of a net are its *control*: one of them has the only token among them, and every transition
takes it from one and gives it to one. The control moves along a graph, and once it has left a strongly
connected component of that graph, it never comes back.

Claim: let C be a component, `before` the transitions that take from a component from which C can be reached,
other than C itself, and `within` the transitions that take from C and give to C. Then this is a stage. Why:
the control is never again where the transitions before can fire once it has left all these components, and
it has to leave them to get to C.
"""

from collections.abc import Sequence

from seriatim.petri.cuts import Stage
from seriatim.petri.net import PetriNet


class Stages:
    """The stages of a net whose first places are its control."""

    def __init__(self, net: PetriNet, control: int) -> None:
        self.net = net
        self.source = [next(p for p in t.pre if p < control) for t in net.transitions]
        self.target = [next(p for p in t.post if p < control) for t in net.transitions]
        following: list[dict[int, None]] = [{} for _ in range(control)]
        for before, after in zip(self.source, self.target, strict=True):
            following[before][after] = None
        self.component = components([list(found) for found in following])
        self.ancestors: dict[int, int] = {}
        """For each component a mask of those from which it can be reached; components are numbered so that
        what can be reached has the smaller number."""
        for before, after in sorted(
            {(self.component[b], self.component[a]) for b, a in zip(self.source, self.target, strict=True)},
            reverse=True,
        ):
            if before != after:
                known = self.ancestors.get(before, 0) | 1 << before
                self.ancestors[after] = self.ancestors.get(after, 0) | known

    def visited(self, counts: Sequence[int]) -> list[Stage]:
        """The stages of components in which the control is at some time, according to these counts."""
        used = [t for t in range(len(self.net.transitions)) if counts[t] > 0]
        places = {place for t in used for place in (self.source[t], self.target[t])}
        return [self.stage(component) for component in sorted({self.component[p] for p in places}, reverse=True)]

    def stage(self, component: int) -> Stage:
        ancestors = self.ancestors.get(component, 0)
        sources = [self.component[place] for place in self.source]
        return Stage(
            frozenset(t for t, source in enumerate(sources) if ancestors >> source & 1),
            frozenset(
                t
                for t, source in enumerate(sources)
                if source == component and self.component[self.target[t]] == component
            ),
        )


def components(following: list[list[int]]) -> list[int]:
    """For each node of a graph the number of its strongly connected component (Tarjan); what can be reached
    from a component has a smaller number, unless it is the component itself."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    found: list[int] = [-1] * len(following)
    stack: list[int] = []
    count = 0
    for root in range(len(following)):
        if root in index:
            continue
        work = [(root, iter(following[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    while found[node] < 0:
                        found[stack.pop()] = count
                    count += 1
            elif child not in index:
                index[child] = low[child] = len(index)
                stack.append(child)
                work.append((child, iter(following[child])))
            elif found[child] < 0:
                low[node] = min(low[node], index[child])
    return found
