"""Random programs over arrays, whose requests take indices. Many have a symmetry; what breaks one is in some:
literal indices, different initial values, indices as data, orders on them, scans."""

from random import Random

COUNT = 3


def indexed_program(random: Random, count: int = COUNT) -> str:
    arrays = ("A", "B")[: random.choice((1, 1, 2))]
    lines = [f"const N := {count}"]
    lines += [f"{array}[N] in 0..1 := {random.choice((0, 0, 1))}" for array in arrays]
    if random.random() < 0.1:
        lines.append(f"C{random.randrange(count)} := 1")
    has_lock = random.random() < 0.4
    for name in ("f", "g")[: random.choice((1, 1, 2))]:
        lines += handler(random, name, arrays, has_lock, count)
    if random.random() < 0.2:
        lines += ["request look:", f"    return {random.choice(arrays)}[{random.randrange(count)}]"]
    return "\n".join(lines) + "\n"


def handler(random: Random, name: str, arrays: tuple[str, ...], has_lock: bool, count: int) -> list[str]:
    indices = ("i", "j")[: random.choice((0, 1, 1, 1, 2))]
    arguments = ", ".join(f"{index} in 0..N - 1" for index in indices)
    lines = [f"request {name}({arguments}):" if indices else f"request {name}:", "    x := 0"]
    body = steps(random, arrays, indices, count, random.randint(2, 4))
    if has_lock and random.random() < 0.8:
        body = ["lock(L)", *body, "unlock(L)"]
    answer = random.choice(("x", "0", "0", cell(random, arrays, indices, count), *indices))
    return [*lines, *(f"    {line}" for line in body), f"    return {answer}"]


def steps(
    random: Random, arrays: tuple[str, ...], indices: tuple[str, ...], count: int, number: int
) -> list[str]:
    lines: list[str] = []
    for _ in range(number):
        place = cell(random, arrays, indices, count)
        match random.randrange(8):
            case 0 | 1:
                lines.append("yield")
            case 2:
                lines.append(f"x := {place}")
            case 3:
                lines.append(f"{place} := {value(random, arrays, indices, count)}")
            case 4:
                lines += [f"if {condition(random, arrays, indices, count)}:", f"    {place} := 1 - {place}"]
            case 5:
                lines += [
                    f"if {condition(random, arrays, indices, count)}:",
                    "    yield",
                    f"    {place} := x",
                ]
            case 6:
                array = random.choice(arrays)
                lines += [f"{array}[{at}] := {random.randrange(2)}" for at in order(random, count)]
            case _:
                lines.append(f"S := {value(random, arrays, indices, count)}")
    return lines


def order(random: Random, count: int) -> list[int]:
    """All cells, or some of them."""
    cells = list(range(count))
    random.shuffle(cells)
    return cells if random.random() < 0.8 else cells[:2]


def cell(random: Random, arrays: tuple[str, ...], indices: tuple[str, ...], count: int) -> str:
    array = random.choice(arrays)
    if indices and random.random() < 0.9:
        return f"{array}[{random.choice(indices)}]"
    return f"{array}[{random.randrange(count)}]" if random.random() < 0.15 else "S"


def value(random: Random, arrays: tuple[str, ...], indices: tuple[str, ...], count: int) -> str:
    place = cell(random, arrays, indices, count)
    return random.choice(("0", "1", "x", place, f"1 - {place}"))


def condition(random: Random, arrays: tuple[str, ...], indices: tuple[str, ...], count: int) -> str:
    place, other = (cell(random, arrays, indices, count) for _ in range(2))
    scan = " + ".join(f"{random.choice(arrays)}[{at}]" for at in order(random, count))
    every = " and ".join(f"{arrays[0]}[{at}] == 0" for at in order(random, count))
    choices = [f"{place} == 0", f"{place} == {other}", f"x == {place}", f"{scan} < 2", every, "?"]
    if len(indices) == 2:
        choices += ["i != j", "i == j", "i < j"]
    if indices:
        choices.append(f"{indices[0]} == {random.randrange(count)}")
    return random.choice(choices)
