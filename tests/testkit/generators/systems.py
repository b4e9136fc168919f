"""Random network systems for agreement tests: small, and with everything that the format allows."""

from dataclasses import dataclass
from random import Random

from seriatim.program.network_system import LocalState, NetworkSystem


@dataclass(frozen=True, slots=True)
class Setting:
    """How large the systems are; locals and transitions are counted for each request."""

    globals: int
    requests: int
    locals: int
    transitions: int
    responses: int


SETTINGS = (
    Setting(2, 1, 4, 5, 2),
    Setting(2, 2, 2, 4, 2),
    Setting(3, 2, 4, 6, 2),
    Setting(4, 2, 5, 10, 2),
    Setting(4, 3, 5, 12, 3),
)


def random_system(random: Random, setting: Setting, mixed: float = 0.0) -> NetworkSystem:
    """A system of that size.

    `mixed` is how often a request does what programs never do: shares the local states of another one,
    starts in a second local state, or has a response where it could also go on.
    """
    locals_ = [range(i * setting.locals, (i + 1) * setting.locals) for i in range(setting.requests)]
    everywhere = range(setting.requests * setting.locals)
    req = {request: own[0] for request, own in enumerate(locals_)}
    starts = set(req.items())
    resp: set[tuple[int, int]] = set()
    delta: set[tuple[int, int, int, int]] = set()
    for request, own in enumerate(locals_):
        if random.random() < mixed:
            starts.add((request, random.choice(everywhere)))
        for _ in range(setting.transitions):
            # The last local state of each request is left by nobody, unless things are mixed.
            source = random.choice(own if random.random() < mixed else own[:-1])
            target = random.choice(everywhere if random.random() < mixed else own)
            delta.add((source, random.randrange(setting.globals), target, random.randrange(setting.globals)))
        resp.add((own[-1], random.randrange(setting.responses)))
        for _ in range(setting.responses - 1):
            place = random.choice(own[1:])
            resp.add((place, random.randrange(setting.responses)))
        if random.random() < mixed:
            resp.add((random.choice(own), random.randrange(setting.responses)))
    return NetworkSystem(
        globals=tuple(f"g{number}" for number in range(setting.globals)),
        locals=tuple(LocalState(f"l{number}") for number in everywhere),
        requests=tuple(f"r{number}" for number in range(setting.requests)),
        responses=tuple(str(number) for number in range(setting.responses)),
        initial=random.randrange(setting.globals),
        req=tuple(sorted(starts)),
        resp=tuple(sorted(resp)),
        delta=tuple(sorted(delta)),
    )
