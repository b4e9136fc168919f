"""Small random C programs, and what their threads can do, by brute force over their own operations.

Nothing here looks at translations: a program is a list of operations for each thread, its text is written
from it, and configurations are explored operation by operation.
"""

from collections.abc import Callable, Iterator
from random import Random

Operation = tuple[str, str]
"""What is done, and to which variable."""

VARIABLES = ("x", "y")
LOCKS = ("m", "n")
MEMORY = ("p", "q")

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
int x, y;
int *p, *q;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t signal = PTHREAD_COND_INITIALIZER;
sem_t s;
"""

TEXTS = {
    "read": "if ({0}) {{ }}",
    "write": "{0} = 1;",
    "add": "__sync_fetch_and_add(&{0}, 1);",
    "lock": "pthread_mutex_lock(&{0});",
    "unlock": "pthread_mutex_unlock(&{0});",
    "wait": "sem_wait(&{0});",
    "post": "sem_post(&{0});",
    "sleep": "pthread_cond_wait(&signal, &{0});",
    "awake": "",
    "signal": "pthread_cond_signal(&{0});",
    "broadcast": "pthread_cond_broadcast(&{0});",
    "use": "*{0} = 1;",
    "free": "free({0});",
    "start": "pthread_create(&t_{0}, 0, {0}, 0);",
    "join": "pthread_join(t_{0}, 0);",
    "unless": "if ({0}) return 0;",
}

Threads = dict[str, tuple[Operation, ...]]
Configuration = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]
"""The values of variables, and where the threads are that have started; -1 is the end."""


def random_threads(seed: int, kinds: tuple[str, ...]) -> Threads:
    random = Random(seed)
    names = ("a", "b", "c")[: random.randint(1, 3)]
    threads: Threads = {name: tuple(_operations(random, kinds)) for name in names}
    main: list[Operation] = []
    for name in names:
        main += [*_operations(random, kinds, 1), ("start", name)]
    for name in names:
        if random.random() < 0.7:
            main += [("join", name), *_operations(random, kinds, 1)]
    return {"main": tuple(main), **threads}


def _operations(random: Random, kinds: tuple[str, ...], most: int = 3) -> Iterator[Operation]:
    for _ in range(random.randint(0, most)):
        kind = random.choice(kinds)
        if kind == "section":
            lock = random.choice(LOCKS)
            yield "lock", lock
            yield from _operations(random, tuple(each for each in kinds if each != "unless"), 2)
            if "signal" in kinds and random.random() < 0.4:
                yield "sleep", lock
                yield "awake", lock
            if random.random() < 0.95:
                yield "unlock", lock
        elif kind in ("wait", "post"):
            yield kind, "s"
        elif kind in ("signal", "broadcast"):
            yield kind, "signal"
        elif kind in ("use", "free"):
            yield kind, random.choice(MEMORY)
        else:
            yield kind, random.choice(VARIABLES)


def text_of(threads: Threads) -> str:
    """The program in C; functions that others start come first."""
    parts = [HEAD]
    for name, operations in reversed(threads.items()):
        body = "\n  ".join(TEXTS[kind].format(target) for kind, target in operations)
        if name == "main":
            cells = "".join(f"pthread_t t_{each}; " for each in threads if each != "main")
            first = "sem_init(&s, 0, 0); p = malloc(sizeof(int)); q = malloc(sizeof(int));"
            parts.append(f"int main(void) {{\n  {cells}{first}\n  {body}\n  return 0;\n}}\n")
        else:
            parts.append(f"void *{name}(void *unused) {{\n  {body}\n  return 0;\n}}\n")
    return "".join(parts)


EFFECTS: dict[str, Callable[[int], int]] = {
    "write": lambda _: 1,
    "lock": lambda _: 1,
    "free": lambda _: 1,
    "unlock": lambda _: 0,
    "sleep": lambda _: 0,
    "awake": lambda _: 1,
    "add": lambda old: old + 1,
    "post": lambda old: old + 1,
    "wait": lambda old: old - 1,
}
"""What operations make of values."""


def waits(kind: str, held: int) -> bool:
    """Whether an operation cannot be done; what fails ends the program."""
    return held == 0 if kind == "wait" else kind in ("lock", "awake", "free", "use") and held != 0


def sleeping(name: str) -> str:
    """The variable that says whether a thread sleeps, so that somebody has to wake it."""
    return f"{name} sleeps"


class Brute:
    """All configurations of a program."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads
        self.races = self.hangs = self.misuses_memory = False
        start: Configuration = ((), (("main", 0),))
        seen, pending = {start}, [start]
        while pending:
            values, places = pending.pop()
            moves = list(self.moves(dict(values), dict(places)))
            self.look(dict(values), dict(places), bool(moves))
            for after in (*moves, *self.chances(dict(values), dict(places))):
                if after not in seen:
                    seen.add(after)
                    pending.append(after)

    def next(self, places: dict[str, int]) -> Iterator[tuple[str, Operation]]:
        if places["main"] < 0:
            return  # The program has ended.
        for name, place in places.items():
            if 0 <= place < len(self.threads[name]):
                yield name, self.threads[name][place]

    def moves(self, values: dict[str, int], places: dict[str, int]) -> Iterator[Configuration]:
        if places["main"] < 0:
            return
        for name, place in places.items():
            if place == len(self.threads[name]):
                yield self.after(values, {**places, name: -1})
        for name, (kind, target) in self.next(places):
            held = values.get(target, 0)
            if waits(kind, held) or (kind == "join" and places[target] >= 0):
                continue
            if kind == "awake" and values[sleeping(name)]:
                continue
            moved = {**places, name: places[name] + 1}
            if kind == "start":
                moved[target] = 0
            elif kind == "unless" and held:
                moved[name] = -1
            if kind in ("signal", "broadcast"):
                asleep = [each for each in values if each.endswith(" sleeps") and values[each]]
                if kind == "broadcast" or not asleep:
                    yield self.after(values | dict.fromkeys(asleep, 0), moved)
                else:
                    yield from (self.after({**values, each: 0}, moved) for each in asleep)
                continue
            changed = EFFECTS[kind](held) if kind in EFFECTS else held
            begins = {sleeping(name): 1} if kind == "sleep" else {}
            yield self.after({**values, **begins, target: changed}, moved)

    def chances(self, values: dict[str, int], places: dict[str, int]) -> Iterator[Configuration]:
        """Threads that wake up for no reason."""
        for name, (kind, _) in self.next(places):
            if kind == "awake" and values[sleeping(name)]:
                yield self.after({**values, sleeping(name): 0}, places)

    def after(self, values: dict[str, int], places: dict[str, int]) -> Configuration:
        return tuple(sorted(values.items())), tuple(sorted(places.items()))

    def look(self, values: dict[str, int], places: dict[str, int], can_go_on: bool) -> None:
        following = list(self.next(places))
        self.misuses_memory |= any(
            kind in ("use", "free") and values.get(target, 0) == 1 for _, (kind, target) in following
        )
        fails = any(kind in ("use", "free") and values.get(target, 0) for _, (kind, target) in following)
        if (
            not can_go_on
            and not fails
            and any(place >= 0 for place in places.values())
            and places["main"] >= 0
        ):
            self.hangs = True
        accesses = [
            (name, target, kind in ("write", "add"), kind == "add")
            for name, (kind, target) in following
            if kind in ("read", "write", "add", "unless")
        ]
        self.races |= any(
            one != other and x == y and (writes or written) and not (atomic and together)
            for one, x, writes, atomic in accesses
            for other, y, written, together in accesses
        )
