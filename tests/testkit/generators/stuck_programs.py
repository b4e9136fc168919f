"""Random programs whose requests may wait for ever, and what enumeration says about them."""

from random import Random

from testkit.oracles.brute_force import InFlight, Rules, TooLarge

MAX_STATES = 60_000

Moment = tuple[int, InFlight, tuple[InFlight, ...], int]
"""(g, the request that is watched, the others in flight, how many have arrived so far)."""


def fewest_to_hang(rules: Rules, requests: int, helpers: int, max_states: int = MAX_STATES) -> int | None:
    """With how many requests, of at most so many, one can be in flight that never completes, though so many
    others may still arrive; None if that needs more. By the definition, from the rules alone."""
    before: dict[Moment, list[Moment]] = {}
    completing: set[Moment] = set()
    pending = [moment for state in states_of(rules, requests, max_states) for moment in watched(state)]
    seen = set(pending)
    suspects = sorted(seen, key=lambda moment: moment[3])
    while pending:
        moment = pending.pop()
        if any(True for _ in rules.responses(moment[1][1])):
            completing.add(moment)
        for later in following(rules, moment, requests + helpers):
            before.setdefault(later, []).append(moment)
            if later not in seen:
                seen.add(later)
                pending.append(later)
        if len(seen) > max_states:
            raise TooLarge
    ready = list(completing)
    while ready:
        for earlier in before.get(ready.pop(), ()):
            if earlier not in completing:
                completing.add(earlier)
                ready.append(earlier)
    return next((moment[3] for moment in suspects if moment not in completing), None)


State = tuple[int, tuple[InFlight, ...], int]
"""(g, requests in flight, how many have arrived so far)."""


def states_of(rules: Rules, requests: int, max_states: int) -> set[State]:
    start: State = (rules.initial, (), 0)
    seen = {start}
    pending = [start]
    while pending:
        g, flight, arrived = pending.pop()
        found = [(g, tuple(sorted((*flight, one))), arrived + 1) for one in rules.req if arrived < requests]
        for place, (name, local) in enumerate(flight):
            others = flight[:place] + flight[place + 1 :]
            found += [
                (after, tuple(sorted((*others, (name, target)))), arrived)
                for target, after in rules.steps(local, g)
            ]
            found += [(g, others, arrived) for _ in rules.responses(local)]
        for state in found:
            if state not in seen:
                seen.add(state)
                pending.append(state)
        if len(seen) > max_states:
            raise TooLarge
    return seen


def watched(state: State) -> list[Moment]:
    """Each request in flight, watched."""
    g, flight, arrived = state
    return [(g, one, flight[:place] + flight[place + 1 :], arrived) for place, one in enumerate(flight)]


def following(rules: Rules, moment: Moment, most: int) -> list[Moment]:
    g, (name, local), others, arrived = moment
    found: list[Moment] = []
    if arrived < most:
        found += [(g, (name, local), tuple(sorted((*others, one))), arrived + 1) for one in rules.req]
    found += [(after, (name, target), others, arrived) for target, after in rules.steps(local, g)]
    for place, (other, at) in enumerate(others):
        rest = others[:place] + others[place + 1 :]
        found += [
            (after, (name, local), tuple(sorted((*rest, (other, target)))), arrived)
            for target, after in rules.steps(at, g)
        ]
        found += [(g, (name, local), rest, arrived) for _ in rules.responses(at)]
    return found


class StuckMaker:
    """Handlers with locks in any order, early returns that may forget them, and conditions to wait for."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self) -> str:
        names = "abc"[: self.random.randint(1, 3)]
        return "\n".join(f"request {name} {{ {self.body()} }}" for name in names)

    def body(self) -> str:
        kind = self.random.choice(("locks", "locks", "locks", "flags", "mixed"))
        parts = (
            [self.locked()] if kind == "locks" else [self.flag() for _ in range(self.random.randint(1, 3))]
        )
        if kind == "mixed":
            parts.insert(self.random.randrange(len(parts) + 1), self.locked())
        return "; ".join((*parts, self.random.choice(("0", "X"))))

    def locked(self) -> str:
        locks = self.random.sample(("L", "M", "K"), self.random.choice((1, 1, 2, 2, 3)))
        taken = "; ".join(f"lock({lock}){self.random.choice(('', '; yield'))}" for lock in locks)
        given = [f"unlock({lock})" for lock in locks]
        self.random.shuffle(given)
        if self.random.random() < 0.15:
            given = given[1:]
        leaving = ""
        if self.random.random() < 0.3:
            back = self.random.choice((given, given, given[1:], []))
            leaving = f"if ({self.test()}) {{ {'; '.join((*back, 'return 1'))} }}; "
        return f"{taken}; {leaving}{self.change()}; {'; '.join(given) or 'yield'}"

    def flag(self) -> str:
        return self.random.choice(
            (
                self.change(),
                "yield",
                f"await {self.test()}",
                f"while ({self.test()}) {{ yield }}",
                "F := 1 - F",
            )
        )

    def change(self) -> str:
        return self.random.choice(
            ("X := 1 - X", "X := 1", "x := X; yield; X := 1 - x", "F := 1", "F := 0; yield")
        )

    def test(self) -> str:
        return self.random.choice(("X == 0", "X == 1", "F == 1", "F == 0", "?"))


def stuck_program_text(seed: int) -> str:
    return StuckMaker(Random(seed)).text()
