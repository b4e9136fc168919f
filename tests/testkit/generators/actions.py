"""Random asynchronous programs as texts: few values, so that everything can be enumerated."""

from random import Random

NAMES = ("a", "b", "c")


def _value(rng: Random, argument: str | None) -> str:
    choices = ["0", "1", "x", "y", "x + 1", "1 - y"]
    if argument is not None:
        choices += [argument, "z[1]", "z[2]", f"z[{argument}]"]
    return rng.choice(choices)


def _condition(rng: Random, argument: str | None) -> str:
    return f"{_value(rng, argument)} {rng.choice(('==', '!=', '<=', '<'))} {_value(rng, argument)}"


def _statement(rng: Random, depth: int, argument: str | None, startable: list[str]) -> list[str]:
    kind = rng.randrange(14)
    match kind:
        case 0 | 1:
            return [f"{rng.choice('xy')} := {rng.choice(('0', '1', '1 - x', 'y', 'x'))}"]
        case 2:
            place = rng.choice(("1", "2", argument or "1"))
            return [f"z[{place}] := {rng.choice(('0', '1', f'1 - z[{place}]'))}"]
        case 3:
            return [f"await {_condition(rng, argument)}"]
        case 4:
            return [f"assert {_condition(rng, argument)}"] if rng.random() < 0.6 else ["skip"]
        case 5 | 6 if startable:
            name = rng.choice(startable)
            return [f"async {name}({rng.choice(('1', '2', argument or '1')) if name != 'c' else ''})"]
        case 7:
            return [f"send(box, {rng.choice(('0', '1', 'x'))})"]
        case 8:
            return ["m := receive(box)", "y := m"] if rng.random() < 0.7 else ["receive(box, 1)"]
        case 9 | 10 if depth:
            return _nested(rng, depth - 1, argument, startable)
        case 11:
            return ["havoc w in 0..1", "x := w"]
        case 12 if depth:
            inside = rng.choice(("z[i] := 0", "z[i] := 1 - z[i]", "z[i] := x", "send(boxes[i], 1)"))
            return ["for i in 1..N:", f"    {inside}"]
        case 13:
            return (
                [f"send(boxes[{argument or 1}], 1)"]
                if rng.random() < 0.5
                else [f"receive(boxes[{argument or 1}], 1)"]
            )
        case _:
            return ["skip"]


def _nested(rng: Random, depth: int, argument: str | None, startable: list[str]) -> list[str]:
    one, other = (_block(rng, depth, argument, startable) for _ in range(2))
    if rng.random() < 0.5:
        return ["either:", *one, "or:", *other]
    return [f"if {_condition(rng, argument)}:", *one]


def _block(rng: Random, depth: int, argument: str | None, startable: list[str]) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        lines += _statement(rng, depth, argument, startable)
    return [f"    {line}" for line in lines]


def random_actions(seed: int) -> str:
    """A program with two or three actions, and an order of all or some of them."""
    rng = Random(seed)
    names = list(NAMES[: rng.choice((2, 3))])
    lines = [
        "param N >= 2",
        "x: int := 0",
        "y: int := 0",
        "z[1..2]: int := 0",
        "box: bag",
        "boxes[1..2]: bag",
        "",
    ]
    lines[3] = "z[1..N]: int := 0"
    lines[5] = "boxes[1..N]: bag"
    lines += ["action main():"]
    for _ in range(rng.choice((1, 2, 2, 3))):
        name = rng.choice(names)
        lines.append(f"    async {name}({rng.choice('12') if name != 'c' else ''})")
    for number, name in enumerate(names):
        later = names[number + 1 :] + ([name] if rng.random() < 0.1 else [])
        argument = "k" if name != "c" else None
        lines += ["", f"action {name}({argument or ''}):", *_block(rng, 2, argument, later)]
    ordered = rng.sample(names, len(names) if rng.random() < 0.6 else rng.randint(1, len(names)))
    by_index = rng.random() < 0.3 and "c" not in ordered
    lines += ["", "sequential:", f"    order {', '.join(ordered)}{' by index' if by_index else ''}"]
    return "\n".join(lines) + "\n"
