"""Small macro systems for the tests of reductions, and what must not change about them."""

from collections.abc import Callable
from random import Random

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import Limits
from seriatim.systems.random_run import random_run
from seriatim.systems.run import Run, replays
from seriatim.systems.slicing import MacroSystem, macro_system
from seriatim.systems.unfolding import ProgramUnfolding, Unfolding
from testkit.oracles.brute_force import interleaved, rules_of_unfolding, serial

NEVER = Deadline()


def of_program(text: str, levels: tuple[int, ...] = (1, 2)) -> MacroSystem:
    return macro_system(ProgramUnfolding(parse(text), Limits()), Limits(), NEVER, levels)


def of_steps(steps: str, **starts: str) -> MacroSystem:
    """A system with global states 0, 1, …; starts are request="local", or several locals.

    Each line of `steps` is `local: 0>1 2>0 ➜ local`: one step for each pair of global states. Where there is
    no local after the arrow, but `/` and a response, the request is answered. The coverage knows pairs.
    """
    delta: set[tuple[int, int, int, int]] = set()
    resp: dict[int, int] = {}
    numbers: dict[str, int] = {}
    responses: dict[str, int] = {}
    largest = 0
    for line in steps.strip().splitlines():
        source, _, rest = line.strip().partition(":")
        pairs, _, target = rest.partition("➜")
        end = numbers.setdefault(target.strip(), len(numbers))
        if target.strip().startswith("/"):
            resp[end] = responses.setdefault(target.strip()[1:], len(responses))
        start = numbers.setdefault(source, len(numbers))
        for pair in pairs.split():
            before, _, after = pair.partition(">")
            delta.add((start, int(before), end, int(after)))
            largest = max(largest, int(before), int(after))
    system = NetworkSystem(
        globals=tuple(map(str, range(largest + 1))),
        locals=tuple(map(LocalState, numbers)),
        requests=tuple(starts),
        responses=tuple(responses),
        initial=0,
        req=tuple(
            (request, numbers[start])
            for request, own_starts in enumerate(starts.values())
            for start in own_starts.split()
        ),
        resp=tuple(resp.items()),
        delta=tuple(sorted(delta)),
    )
    return macro_system(SystemUnfolding(system), Limits(), NEVER, levels=(2,))


def named(system: MacroSystem, name: str) -> int:
    """The local of that name in a system made `of_steps`, the one of the first request if several have it."""
    assert isinstance(system.origin, SystemUnfolding)
    names = [system.origin.system.locals[state].name for _, state in system.origin.local_states]
    return names.index(name)


def assert_same_outcomes(smaller: Unfolding, larger: Unfolding, requests: int = 3) -> None:
    """Int and Ser are the same up to so many requests."""
    ours, theirs = rules_of_unfolding(smaller), rules_of_unfolding(larger)
    assert interleaved(ours, requests) == interleaved(theirs, requests)
    assert serial(ours, requests) == serial(theirs, requests)


def assert_runs_expand(
    system: MacroSystem, expand: Callable[[Run], Run], into: Unfolding, seed: int = 0
) -> int:
    """Random complete runs become runs of the larger system with the same outcome; how many there were."""
    random = Random(seed)
    count = 0
    for attempt in range(8):
        handlers = [random.randrange(len(system.requests)) for _ in range(random.randint(1, 4))]
        run = random_run(system, handlers, seed + attempt, max_steps=60)
        if isinstance(run, Run):
            expanded = expand(run)
            assert replays(expanded, into)
            assert expanded.outcome() == run.outcome()
            count += 1
    return count
