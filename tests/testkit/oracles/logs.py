"""Small logs, and whether some order explains them, by trying all orders."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from random import Random

from seriatim.budget import Deadline
from seriatim.frontends.ser.parser import parse
from seriatim.history.built_in import find_model
from seriatim.history.handlers import Handlers
from seriatim.history.log import Entry
from seriatim.history.model import Model
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding

COIN = """
X := 0
request flip {
    X := ?;
    X
}
request look { X }
request gone { if (X == 1) { while (1) { yield } }; 7 }
"""
"""A program that chooses, and in which a request can wait for ever."""

REQUESTS = {
    "register": ("read", "read", "write(1)", "write(2)", "cas(1,2)"),
    "counter": ("read", "read", "inc", "dec", "add(2)", "add_and_get(1)", "get_and_add(1)"),
    "set": ("add(1)", "add(2)", "remove(1)", "contains(1)", "contains(2)", "read"),
    "queue": ("enqueue(1)", "enqueue(2)", "dequeue", "dequeue"),
    "map": ("get(a)", "get(b)", "put(a,1)", "put(a,2)", "put(b,1)", "remove(a)", "cas(a,1,2)"),
    "kv": ("get(a)", "get(a)", "append(a,x)", "append(a,y)", "put(a,x)", "get(b)", "append(b,z)"),
    "registers": ("txn(read x;read y)", "txn(write x 1;write y 1)", "txn(read x;write x 2)", "txn(read y)"),
    "mutex": ("acquire", "release", "acquire"),
    "bank": ("transfer(a,b,1)", "transfer(b,a,1)", "deposit(a,1)", "balance(a)", "balance(b)", "read"),
    "coin": ("flip", "look", "gone", "flip", "look"),
}


def model_named(name: str) -> Model:
    if name == "coin":
        program = parse(COIN)
        return Handlers("coin", ProgramUnfolding(program, Limits(), Deadline()), program.answer_names, 1_000)
    return find_model(name, '{"a": 1, "b": 0}' if name == "bank" else None)


def answers(name: str, request: str, random: Random) -> object:
    match name, request.partition("(")[0]:
        case _, "read" if name == "set":
            return random.choice(([], ["1"], ["2"], ["1", "2"]))
        case _, "read" if name == "bank":
            return random.choice(({"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": 2}, {}))
        case _, "contains" | "cas":
            return random.choice((True, False))
        case _, "transfer":
            return random.choice(("ok", "ok", "refused"))
        case _, "gone":
            return 7
        case "registers", _:
            steps = [step.split(" ") for step in request[4:-1].split(";")]
            return [[*step, random.choice((None, "1", "2"))][:3] for step in steps]
        case "kv", "get":
            return random.choice((None, "x", "y", "xy", "yx", "z", "xx"))
        case _, "append" | "acquire" | "release":
            return "ok"
        case _, "write" | "put" | "remove" | "enqueue" | "inc" | "dec" | "add" | "deposit":
            return "ok"
        case "register" | "map" | "queue", _:
            return random.choice((None, 1, 2))
        case _:
            return random.choice((0, 1, 1, 2))


def random_log(name: str, random: Random, timed: bool) -> list[Entry]:
    from seriatim.history.log import text_of

    found: list[Entry] = []
    for line in range(1, random.randint(2, 5) + 1):
        request = random.choice(REQUESTS[name])
        start = random.randint(0, 6)
        end = start + random.randint(0, 3)
        lost = random.random() < 0.15
        answer = None if lost else text_of(answers(name, request, random))
        times = (start, None if lost else end) if timed else (None, None)
        found.append(Entry(line, request, answer, *times))
    return found


def precedes(one: Entry, other: Entry) -> bool:
    return one.end is not None and other.start is not None and one.end < other.start


def orders(entries: Sequence[Entry]) -> Iterator[tuple[Entry, ...]]:
    """All orders that times allow, with and without entries that may not have happened."""
    lost = [entry for entry in entries if entry.answer is None and entry.end is None]
    sure = [entry for entry in entries if entry not in lost]
    for count in range(len(lost) + 1):
        for happened in combinations(lost, count):
            for order in permutations([*sure, *happened]):
                if not any(precedes(b, a) for at, a in enumerate(order) for b in order[at + 1 :]):
                    yield order


def explains(model: Model, order: Sequence[Entry]) -> bool:
    """All parts at once, as a whole state."""
    states: set[tuple[tuple[object, object], ...]] = {()}
    for entry in order:
        request = model.request(entry.request)
        part = model.part(request)
        wanted = None if entry.answer is None else model.answer(request, entry.answer)
        after: set[tuple[tuple[object, object], ...]] = set()
        for state in states:
            known = dict(state)
            for said, new in model.outcomes(known.get(part, model.initial), request):
                if wanted in (None, said):
                    after.add(tuple(sorted({**known, part: new}.items(), key=repr)))
        states = after
    return bool(states)


def is_explicable(model: Model, entries: Sequence[Entry]) -> bool:
    return any(explains(model, order) for order in orders(entries))
