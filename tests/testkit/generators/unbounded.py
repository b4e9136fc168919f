"""Random programs whose values have no bound: counters, locks, tickets and retries, right or nearly so."""

from random import Random

GLOBALS = ("X", "Y")
LOCALS = ("a", "b")


class UnboundedMaker:
    """Draws a program as text; some of them are serializable, many are not."""

    def __init__(self, random: Random, arguments: float = 0.0) -> None:
        self.random = random
        self.arguments = arguments
        """How often a request has one."""
        self.number = "1"

    def program(self) -> str:
        random = self.random
        handlers = [self.handler(f"h{number}") for number in range(random.choice([1, 2, 2, 3, 3, 4]))]
        initial = f"X := {random.choice([0, 0, 1, 5])}\n" if random.random() < 0.5 else ""
        declared = "A[2] := 0\n" if any("A[" in each for each in handlers) else ""
        return initial + declared + "\n".join(handlers)

    def handler(self, name: str) -> str:
        """Some have an argument that may be any integer; it stands where a number would."""
        makers = (
            *(self.plain, self.locked, self.locked, self.retry, self.ticket, self.reader, self.flagged),
            *(self.early, self.several_locks, self.choosing, self.counted, self.indexed),
        )
        is_open = self.random.random() < self.arguments
        self.number = "p" if is_open else "1"
        return f"request {name}{'(p: int)' if is_open else ''} {{ {self.random.choice(makers)()} }}"

    # Shapes of handlers

    def plain(self) -> str:
        return f"{self.statements(self.random.randint(1, 4))}; {self.value()}"

    def locked(self) -> str:
        random = self.random
        lock = random.choice(["L", "L", "L", "M"])
        inner = self.statements(random.randint(1, 4))
        release = f"unlock({lock})" if random.random() < 0.9 else "yield"
        before = f"{self.statement()}; " if random.random() < 0.15 else ""
        after = f"; {self.statement()}" if random.random() < 0.15 else ""
        late = "; yield" if random.random() < 0.2 else ""
        return f"{before}lock({lock}); {inner}{late}; {release}{after}; {self.value()}"

    def retry(self) -> str:
        random = self.random
        name, local = random.choice(GLOBALS), random.choice(LOCALS)
        test = random.choice([f"{name} == {local}", f"{name} == {local}", f"{name} <= {local}"])
        act = f"{name} := {random.choice([f'{local} + 1', f'{name} + 1', f'{local} * 2', f'{local} - 1'])}"
        answer = random.choice([local, name, "0", f"{local} + {name}"])
        return f"while (1) {{ {local} := {name}; yield; if ({test}) {{ {act}; return {answer} }} }}"

    def ticket(self) -> str:
        random = self.random
        take = "a := NEXT; NEXT := NEXT + 1" if random.random() < 0.9 else "a := NEXT; yield; NEXT := a + 1"
        inner = self.statements(random.randint(1, 3), LOCALS[1:])
        serve = "NOW := NOW + 1" if random.random() < 0.8 else "NOW := a + 1"
        return f"{take}; yield; await NOW == a; {inner}; {serve}; {self.value(LOCALS[1:])}"

    def reader(self) -> str:
        random = self.random
        if random.random() < 0.5:
            return self.value(())
        wait = random.choice(["await L == 0; ", "await L == 0; yield; ", ""])
        return f"{wait}a := X; {random.choice(['yield; ', ''])}a + Y"

    def flagged(self) -> str:
        random = self.random
        flag = random.choice(["F := 1; yield; F := 0", "F := 1 - F", "F := F + 1; yield; F := F - 1"])
        test = random.choice(["F == 1", "F == 0", "F > 1"])
        return f"if ({test}) {{ {self.statement()} }}; {flag}; {self.value()}"

    def early(self) -> str:
        """May be answered before the end."""
        random = self.random
        release = "unlock(L); " if random.random() < 0.85 else ""
        pause = "yield; " if random.random() < 0.5 else ""
        leave = f"if ({self.condition(LOCALS)}) {{ {release}{pause}return {self.value()} }}"
        return f"lock(L); {self.statements(1)}; {leave}; {self.statements(2)}; unlock(L); {self.value()}"

    def several_locks(self) -> str:
        """Two or three, mostly always in the same order."""
        random = self.random
        taken = random.choice([["L", "M"], ["L", "M"], ["M", "L"], ["L", "M", "N"], ["M", "N"]])
        take = "; ".join(f"lock({lock}){random.choice(['; yield', ''])}" for lock in taken)
        between = random.choice(["; yield", "", f"; {self.statement()}"])
        ends = f"{between}; ".join(f"unlock({lock})" for lock in random.sample(taken, len(taken)))
        leave = ""
        if random.random() < 0.3:
            released = "; ".join(f"unlock({lock})" for lock in taken)
            leave = f"if ({self.condition(LOCALS)}) {{ {released}; return {self.value()} }}; "
        return f"{take}; {leave}{self.statements(random.randint(1, 3))}; {ends}; {self.value()}"

    def counted(self) -> str:
        """Counts who is inside: a semaphore, a reader, or a writer that waits for readers."""
        random = self.random
        wait = random.choice(["await C < 2; ", "await F == 0; ", ""])
        inner = self.statements(random.randint(1, 2))
        leave = random.choice(["C := C - 1", "C := C - 1", "C := 0"])
        if random.random() < 0.3:
            return f"await C == 0 && F == 0; F := 1; yield; {inner}; F := 0; {self.value()}"
        return f"{wait}C := C + 1; yield; {inner}; {leave}; {self.value()}"

    def indexed(self) -> str:
        """An array of two cells; an index is computed."""
        random = self.random
        one, other = (f"A[({random.choice(['a', 'X', self.number, 'Y + 1'])}) % 2]" for _ in range(2))
        lock, done = ("lock(L); ", "; unlock(L)") if random.random() < 0.6 else ("", "")
        pause = random.choice(["yield; ", ""])
        change = random.choice([f"{one} + 1", f"{other} + {self.value()}", "b + 1"])
        return f"{lock}{self.statement()}; b := {one}; {pause}{one} := {change}{done}; {other} + b"

    def choosing(self) -> str:
        random = self.random
        lock = "lock(L); " if random.random() < 0.7 else ""
        done = "; unlock(L)" if lock else ""
        chosen = f"a := choose(0..2); {self.statement()}; yield; if (a == 1) {{ {self.statement()} }}"
        return f"{lock}{chosen}{done}; {self.value()}"

    # Statements and values

    def statements(self, number: int, locals_: tuple[str, ...] = LOCALS) -> str:
        parts = [self.statement(locals_) for _ in range(number)]
        random = self.random
        return "; ".join(f"{part}; yield" if random.random() < 0.35 else part for part in parts)

    def statement(self, locals_: tuple[str, ...] = LOCALS) -> str:
        random = self.random
        target = random.choice([*GLOBALS, *locals_] if random.random() < 0.9 or self.number == "1" else ["p"])
        match random.randrange(8):
            case 0:
                return f"if ({self.condition(locals_)}) {{ {target} := {self.value(locals_)} }}"
            case 1:
                return f"{target} := {target} + {random.choice([1, 1, 2, -1])}"
            case 2:
                return f"{random.choice(locals_)} := {random.choice(GLOBALS)}"
            case 3:
                return f"if (?) {{ {target} := {self.value(locals_)} }}"
            case 4:
                inner = f"{target} := {target} + 1"
                return f"while ({target} < {random.choice([2, 3])}) {{ {inner} }}"
            case 5:
                return f"{target} := {self.value(locals_)} + (yield)"
            case _:
                return f"{target} := {self.value(locals_)}"

    def condition(self, locals_: tuple[str, ...]) -> str:
        operator = self.random.choice(["==", "!=", "<", "<=", ">"])
        return f"{self.value(locals_)} {operator} {self.value(locals_)}"

    def value(self, locals_: tuple[str, ...] = LOCALS) -> str:
        random = self.random
        one = random.choice([*GLOBALS, *locals_, "0", self.number, "2"])
        other = random.choice([*GLOBALS, *locals_, self.number, "3"])
        shapes = (
            one,
            one,
            one,
            f"{one} + {other}",
            f"{one} - {other}",
            f"2 * {one}",
            f"({one} + {other}) % 3",
        )
        return random.choice(shapes)


class CellMaker:
    """Draws programs about arrays with a cell for each integer: locks of cells, right or nearly so."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> str:
        random = self.random
        initial = random.choice([0, 0, 5])
        declared = f"C[cell: int] := 0; D[cell: int] := {initial}\n"
        handlers = [self.handler(f"h{number}") for number in range(random.choice([1, 2, 2, 3]))]
        return declared + "\n".join(handlers)

    def handler(self, name: str) -> str:
        random = self.random
        parameters = random.choice(["i: cell", "i: cell", "i, j: cell", "i: cell, j: int"])
        others = ["i", "j"] if "j" in parameters else ["i", "i", "i + 1", "0"]
        makers = (self.locked, self.locked, self.crossed, self.bare, self.retry, self.early, self.choosing)
        body = random.choice(makers)(others)
        return f"request {name}({parameters}) {{ {body} }}"

    def locked(self, indices: list[str]) -> str:
        """One lock, mostly of the cell that is used."""
        random = self.random
        lock = random.choice(["C[i]", "C[i]", "C[i]", "L", "C[0]"])
        used = ["i"] if random.random() < 0.7 else indices
        inner = self.statements(random.randint(1, 3), used)
        after = f"; {self.statement(indices)}" if random.random() < 0.1 else ""
        return f"lock({lock}); {inner}; unlock({lock}){after}; {self.value(used)}"

    def crossed(self, indices: list[str]) -> str:
        """Two locks of cells."""
        random = self.random
        second = random.choice(indices)
        released = random.sample(["C[i]", f"C[{second}]"], 2)
        between = random.choice(["; yield", ""])
        taken = f"lock(C[i]); {random.choice(['yield; ', ''])}lock(C[{second}])"
        inner = self.statements(random.randint(1, 3), ["i", second])
        return f"{taken}; {inner}; unlock({released[0]}){between}; unlock({released[1]}); {self.value(['i'])}"

    def early(self, indices: list[str]) -> str:
        """May be answered before the end."""
        random = self.random
        release = "unlock(C[i]); " if random.random() < 0.85 else ""
        used = ["i"] if random.random() < 0.7 else indices
        leave = f"if ({self.value(used)} > {random.choice([0, 1])}) {{ {release}return {self.value(used)} }}"
        return f"lock(C[i]); {self.statement(used)}; {leave}; {self.statements(1, used)}; unlock(C[i]); a"

    def choosing(self, indices: list[str]) -> str:
        """Which cell, or which value."""
        random = self.random
        chosen = random.choice(indices)
        lock = random.choice(["C[a]", "C[i]", "L"])
        inner = f"D[a] := {random.choice(['D[a] + 1', self.value(indices)])}"
        return f"a := {chosen} + choose(0..1); lock({lock}); yield; {inner}; unlock({lock}); D[a]"

    def bare(self, indices: list[str]) -> str:
        return f"{self.statements(self.random.randint(1, 2), indices)}; {self.value(indices)}"

    def retry(self, indices: list[str]) -> str:
        index = self.random.choice(indices)
        act = f"D[{index}] := a + 1; return a"
        return f"while (1) {{ a := D[{index}]; yield; if (D[{index}] == a) {{ {act} }} }}"

    def statements(self, number: int, indices: list[str]) -> str:
        random = self.random
        parts = [self.statement(indices) for _ in range(number)]
        return "; ".join(f"{part}; yield" if random.random() < 0.45 else part for part in parts)

    def statement(self, indices: list[str]) -> str:
        random = self.random
        index = random.choice(indices)
        value = self.value(indices)
        return random.choice(
            [
                f"D[{index}] := {value}",
                f"D[{index}] := D[{index}] + 1",
                f"a := D[{index}]",
                f"if ({value} > 1) {{ D[{index}] := 0 }}",
                f"if ({random.choice(indices)} != {index}) {{ D[{index}] := {value} }}",
            ]
        )

    def value(self, indices: list[str]) -> str:
        random = self.random
        one = random.choice([f"D[{random.choice(indices)}]", "a", "1", random.choice(indices)])
        return random.choice([one, one, f"{one} + a", f"2 * {one}"])
