"""Live variables: which locals and temporaries can still be read from the start of each block on.

Dead ones leave the local state, so that states that differ only in them are one. The operands that a pause
holds stay, used or not: so each local state is one configuration of the reference interpreter, up to the
locals that `seriatim.program.liveness` calls dead. Sets of names are bit masks.
"""

from seriatim.program.syntax import Expression, Read, is_global, walk
from seriatim.systems.control_flow import Branch, Choose, Finish, Graph, Pause


def live_at_start(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """For each block the live locals, sorted. The least solution of the usual backward equations."""
    names = Names()
    uses: list[int] = [0] * len(graph.blocks)
    defines: list[int] = []
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for index, block in enumerate(graph.blocks):
        used = defined = 0
        for statement in block.statements:
            used |= names.read(statement.value) & ~defined
            defined |= names.bit(statement.target)
        match block.end:
            case Branch(condition=value) | Finish(value=value):
                used |= names.read(value) & ~defined
            case Choose(target=target):
                defined |= names.bit(target)
            case Pause(block=after, held=held):
                for name in held:
                    uses[after] |= names.bit(name)
            case _:
                pass
        uses[index] |= used
        defines.append(defined)
        for successor in block.successors():
            predecessors[successor].append(index)

    live = list(uses)
    pending = list(range(len(live)))
    while pending:
        index = pending.pop()
        for before in predecessors[index]:
            grown = live[before] | live[index] & ~defines[before]
            if grown != live[before]:
                live[before] = grown
                pending.append(before)
    return tuple(names.of(mask) for mask in live)


class Names:
    """A bit for each local; none for globals."""

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}
        self.names: list[str] = []

    def bit(self, name: str) -> int:
        if is_global(name):
            return 0
        if name not in self.bits:
            self.bits[name] = 1 << len(self.names)
            self.names.append(name)
        return self.bits[name]

    def read(self, expression: Expression) -> int:
        mask = 0
        for part in walk(expression):
            if isinstance(part, Read):
                mask |= self.bit(part.name)
        return mask

    def of(self, mask: int) -> tuple[str, ...]:
        names = self.names
        found: list[str] = []
        while mask:
            lowest = mask & -mask
            found.append(names[lowest.bit_length() - 1])
            mask ^= lowest
        return tuple(sorted(found))
