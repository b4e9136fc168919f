"""Random thread programs: small data, several templates, forks, joins, atomic blocks, early returns,
choices.
"""

from random import Random

TYPES = ("bool", "0..1", "0..2", "int")


class Generator:
    def __init__(self, seed: int, integers: bool = True) -> None:
        self.random = Random(seed)
        self.types = TYPES if integers else TYPES[:3]
        self.globals = {
            name: self.random.choice(self.types) for name in ("g", "h", "k")[: self.random.randint(1, 3)]
        }
        self.templates = ("a", "b")[: self.random.randint(1, 2)]
        self.parameters: dict[str, dict[str, str]] = {}
        self.results: dict[str, dict[str, str]] = {}
        for name in self.templates:
            has = self.random.random() < 0.4
            self.parameters[name] = {"p": self.random.choice(self.types)} if has else {}
            self.results[name] = {"r": self.random.choice(self.types)} if self.random.random() < 0.3 else {}

    def text(self) -> str:
        lines = []
        for name, type_ in self.globals.items():
            initial = f" = {self.constant(type_)}" if self.random.random() < 0.7 else ""
            lines.append(f"global {name}: {type_}{initial};")
        lines.append(self.template("main", {}, {}, 6))
        lines.extend(
            self.template(name, self.parameters[name], self.results[name], 4) for name in self.templates
        )
        return "\n".join(lines) + "\n"

    def template(self, name: str, parameters: dict[str, str], results: dict[str, str], size: int) -> str:
        self.locals = parameters | results
        extra = {"x": self.random.choice(self.types)} if self.random.random() < 0.6 else {}
        self.locals |= extra
        head = ", ".join(f"{each}: {type_}" for each, type_ in parameters.items())
        returns = ", ".join(f"{each}: {type_}" for each, type_ in results.items())
        declared = "".join(f"local {each}: {type_}; " for each, type_ in extra.items())
        body = self.block(self.random.randint(1, size), 0, atomic=False)
        if name == "main":
            body = self.fork() + " " + body
            if self.random.random() < 0.5:
                body += f" {self.join()}"
            if self.random.random() < 0.5:
                body += f" assert {self.condition()};"
        tail = f" returns ({returns})" if results else ""
        return f"thread {name}({head}){tail} {{ {declared}{body} }}"

    def block(self, size: int, depth: int, atomic: bool) -> str:
        return " ".join(self.statement(depth, atomic) for _ in range(size))

    def statement(self, depth: int, atomic: bool) -> str:
        roll = self.random.random()
        if depth < 2 and roll < 0.12:
            test = "*" if self.random.random() < 0.4 else self.condition()
            otherwise = (
                f" else {{ {self.block(1, depth + 1, atomic)} }}" if self.random.random() < 0.5 else ""
            )
            return f"if ({test}) {{ {self.block(self.random.randint(1, 2), depth + 1, atomic)} }}{otherwise}"
        if depth < 2 and roll < 0.18 and not atomic:
            test = "*" if self.random.random() < 0.4 else self.condition()
            return f"while ({test}) {{ {self.block(self.random.randint(1, 2), depth + 1, False)} }}"
        if roll < 0.32 and not atomic:
            return f"atomic {{ {self.block(self.random.randint(1, 3), depth + 1, True)} }}"
        if roll < 0.36:
            return "return;"
        if roll < 0.46:
            return f"assume {self.condition()};"
        if roll < 0.54:
            return f"assert {self.condition()};"
        if roll < 0.60:
            return f"havoc {self.random.choice(list(self.globals | self.locals))};"
        if roll < 0.68 and not atomic:
            return self.fork()
        if roll < 0.76 and not atomic:
            return self.join()
        if roll < 0.79 and not atomic:
            return f"atomic {{ {self.statement(2, True)} {self.random.choice((self.fork, self.join))()} }}"
        names = self.random.sample(list(self.globals | self.locals), 1)
        if self.random.random() < 0.1 and len(self.globals | self.locals) > 1:
            names = self.random.sample(list(self.globals | self.locals), 2)
        values = ", ".join(self.expression((self.globals | self.locals)[name]) for name in names)
        return f"{', '.join(names)} := {values};"

    def fork(self) -> str:
        name = self.random.choice(
            (*self.templates, "main") if self.random.random() < 0.03 else self.templates
        )
        arguments = ", ".join(map(self.expression, self.parameters.get(name, {}).values()))
        return f"fork {self.identity()} {name}({arguments});"

    def join(self) -> str:
        taken = ""
        if self.random.random() < 0.3:
            taken = f" assign {self.random.choice(list(self.globals | self.locals))}"
        return f"join {self.identity()}{taken};"

    def identity(self) -> str:
        numbers = [name for name, type_ in (self.globals | self.locals).items() if type_ != "bool"]
        if numbers and self.random.random() < 0.25:
            return self.random.choice(numbers)
        return str(self.random.choice((0, 0, 1)))

    def constant(self, type_: str) -> str:
        return self.random.choice(("true", "false")) if type_ == "bool" else str(self.random.randint(0, 1))

    def expression(self, type_: str) -> str:
        if type_ == "bool":
            return self.condition() if self.random.random() < 0.5 else self.constant("bool")
        numbers = [name for name, other in (self.globals | self.locals).items() if other != "bool"]
        roll = self.random.random()
        if not numbers or roll < 0.4:
            return self.constant(type_)
        name = self.random.choice(numbers)
        if roll < 0.7:
            return name
        if roll < 0.75:
            return f"{self.condition()} ? {name} : {self.constant(type_)}"
        if roll < 0.8:
            return f"1 {self.random.choice('/%')} {name}"
        return f"{name} {self.random.choice('+-')} 1"

    def condition(self) -> str:
        names = self.globals | self.locals
        name = self.random.choice(list(names))
        if self.random.random() < 0.12:
            return f"({self.condition()} {self.random.choice(('&&', '||', '==>'))} {self.condition()})"
        if names[name] == "bool":
            return self.random.choice(("", "!")) + name
        others = [other for other, type_ in names.items() if type_ != "bool"]
        right = self.random.choice(others) if self.random.random() < 0.15 else self.constant("int")
        return f"{name} {self.random.choice(('==', '!=', '<', '<=', '>', '>='))} {right}"


def random_text(seed: int, integers: bool = True) -> str:
    return Generator(seed, integers).text()


class Small(Generator):
    """Programs of a few steps, so that many can be compared: one global, one template, and little else."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, integers=seed % 4 == 0)
        self.globals = dict(list(self.globals.items())[: 1 + (seed % 3 == 0)])
        self.templates = self.templates[:1]

    def template(self, name: str, parameters: dict[str, str], results: dict[str, str], size: int) -> str:
        return super().template(name, parameters, results, min(size, 3))

    def statement(self, depth: int, atomic: bool) -> str:
        found = super().statement(max(depth, 1), atomic)
        while found.startswith("assert") and self.random.random() < 0.5:  # Fewer programs that fail at once.
            found = super().statement(max(depth, 1), atomic)
        return found


def random_small_text(seed: int) -> str:
    return Small(seed).text()


class Locking(Generator):
    """Programs with locks, most of them used well: sections, nested ones, tests and sets in two steps,
    releases of what is not held, work before the first thread, and few assertions.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed, integers=False)
        self.mutexes = ("m", "l")[: self.random.randint(1, 2)]

    def text(self) -> str:
        declared = "".join(f"global {name}: 0..1 = 0;\n" for name in self.mutexes)
        return declared + super().text()

    def template(self, name: str, parameters: dict[str, str], results: dict[str, str], size: int) -> str:
        text = super().template(name, parameters, results, size)
        if name == "main" and self.random.random() < 0.5:
            before = self.block(self.random.randint(1, 2), 2, atomic=False)
            head, opening, body = text.partition("{ ")
            declared = ""
            while body.startswith("local "):
                each, _, body = body.partition("; ")
                declared += f"{each}; "
            text = f"{head}{opening}{declared}{before} {body}"
        return text

    def statement(self, depth: int, atomic: bool) -> str:
        roll = self.random.random()
        if atomic or roll < 0.35:
            return super().statement(depth, atomic)
        lock = self.random.choice(self.mutexes)
        taken = f"atomic {{ assume {lock} == 0; {lock} := 1; }}"
        if roll < 0.75 and depth < 2:
            inner = " ".join(self.careful(depth + 1) for _ in range(self.random.randint(1, 3)))
            end = f"{lock} := 0;" if self.random.random() < 0.93 else ""
            return f"{taken} {inner} {end}"
        if roll < 0.78:
            return self.random.choice(
                (taken, f"{lock} := 0;", f"assume {lock} == 0;", f"{lock} := 1;", f"assert {lock} == 1;")
            )
        return self.careful(depth)

    def careful(self, depth: int) -> str:
        """Rarely an assertion, and rarely something that waits."""
        roll = self.random.random()
        if roll < 0.15 and depth < 2:
            return self.statement(depth, atomic=False)
        if roll < 0.22:
            return f"assert {self.condition()};"
        if roll < 0.35:
            return f"if ({self.condition()}) {{ {self.careful(2)} }}"
        if roll < 0.4:
            return f"havoc {self.random.choice(list(self.globals | self.locals))};"
        name = self.random.choice(list(self.globals | self.locals))
        type_ = (self.globals | self.locals)[name]
        same = [each for each, other in (self.globals | self.locals).items() if other == type_]
        value = self.constant(type_) if self.random.random() < 0.5 else self.random.choice(same)
        return f"{name} := {value};"


def random_locking_text(seed: int) -> str:
    return Locking(seed).text()


class Crowd(Locking):
    """Three and more threads of several templates, with two or three locks, threads that end early, also
    while they hold a lock, ids in a shared variable, and atomic blocks in others, in which assertions fail.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.mutexes = ("m", "l", "n")[: self.random.randint(2, 3)]
        self.globals = {"id": "0..1"} | dict(list(self.globals.items())[:1])
        self.templates = ("a", "b", "c")[: self.random.randint(2, 3)]
        for name in self.templates:
            self.parameters.setdefault(name, {})
            self.results.setdefault(name, {})

    def template(self, name: str, parameters: dict[str, str], results: dict[str, str], size: int) -> str:
        self.is_main = name == "main"
        return super().template(name, parameters, results, min(size, 2))

    def block(self, size: int, depth: int, atomic: bool) -> str:
        body = super().block(size, depth, atomic)
        if self.is_main and depth == 0:
            forks = " ".join(self.fork() for _ in range(self.random.randint(1, 3)))
            return f"{forks} {body}"
        return body

    def statement(self, depth: int, atomic: bool) -> str:
        roll = self.random.random()
        if roll < 0.12 and depth < 3:
            return self.early_end()
        if roll < 0.24 and depth < 3:
            return self.nested(depth)
        if atomic or roll > 0.34:
            return super().statement(depth, atomic)
        return self.random.choice((self.fork, self.join, self.join))()

    def early_end(self) -> str:
        held = self.random.choice(self.mutexes)
        end = self.random.choice(("return;", "return;", f"{held} := 0; return;", "assume false;"))
        return f"if ({self.random.choice(('*', self.condition()))}) {{ {end} }}"

    def nested(self, depth: int) -> str:
        """A failing assertion deep inside, whatever follows it: also something that cannot happen."""
        before, after = (self.careful(2) for _ in range(2))
        condition = f"({self.condition()} || {self.condition()})"
        inner = f"atomic {{ {before} assert {condition}; {after} }}"
        tail = self.random.choice(("", f"assume {self.condition()};", "return;", "assume false;"))
        return f"atomic {{ {self.statement(3, True) if depth < 2 else ''} {inner} {tail} }}"

    def identity(self) -> str:
        return "id" if self.random.random() < 0.35 else super().identity()

    def expression(self, type_: str) -> str:
        """Mostly within the type, so that fewer programs fail at once."""
        if self.random.random() < 0.1:
            return super().expression(type_)
        same = [name for name, other in (self.globals | self.locals).items() if other == type_]
        return self.random.choice((self.constant(type_), *same))


def random_crowd_text(seed: int) -> str:
    return Crowd(seed).text()


class Gates:
    """Threads that pass a gate: a state of three or four values, tested and set, and mostly set back by the
    thread that set it, perhaps with a counter of threads inside; used well or nearly so, by any number of
    threads or by a few."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.states = self.random.randint(2, 3)

    def text(self) -> str:
        kinds = [self.random.choice((self.alone, self.together)) for _ in range(self.random.randint(1, 3))]
        names = ("a", "b", "c")[: len(kinds)]
        forks = " ".join(f"fork {number} {name}();" for number, name in enumerate(names))
        main = self.random.choice((f"while (*) {{ {forks} }}", forks, f"{forks} {forks}"))
        type_ = self.random.choice(("int", f"0..{self.states}"))
        lines = [
            f"global s: {type_} = 0; global n: int = 0; global in: int = 0;",
            f"thread main() {{ {main} }}",
        ]
        lines += [f"thread {name}() {{ {kind()} }}" for name, kind in zip(names, kinds, strict=True)]
        return "\n".join(lines) + "\n"

    def value(self) -> int:
        return self.random.randint(1, self.states)

    def rarely(self, odd: str, usual: str) -> str:
        return odd if self.random.random() < 0.15 else usual

    def alone(self) -> str:
        """Enters only an open gate, and closes it behind itself."""
        own = self.value()
        test = self.rarely(f"s != {self.value()}", "s == 0")
        enter = self.rarely(f"assume {test}; s := {own};", f"atomic {{ assume {test}; s := {own}; }}")
        inside = self.random.choice(
            (
                "in := in + 1; assert in == 1; in := in - 1;",
                f"assert s == {own};",
                "assert n == 0;",
                f"if (*) {{ {self.rarely('', 's := 0;')} return; }} assert s != 0;",
            )
        )
        leave = self.rarely(self.random.choice((f"s := {self.value()};", "s := 0; s := 0;", "")), "s := 0;")
        return f"{enter} {inside} {leave}"

    def together(self) -> str:
        """Enters beside its like, and the last one opens the gate."""
        own, other = self.value(), self.value()
        test = self.rarely("s == 0", f"s != {other}")
        inside = self.random.choice(
            (f"assert s == {own};", "assert in == 0;", "assert n >= 1;", "assert s != 0;")
        )
        leave = self.rarely("s := 0;", "if (n == 0) { s := 0; }")
        return (
            f"atomic {{ assume {test}; s := {own}; n := n + 1; }} {inside} "
            f"{self.rarely(f'n := n - 1; {leave}', f'atomic {{ n := n - 1; {leave} }}')}"
        )


def random_gate_text(seed: int) -> str:
    return Gates(seed).text()


def random_counting_text(seed: int) -> str:
    """Loops that start and join a known number of threads, which change a global, perhaps under a lock."""
    random = Random(seed)
    count = random.randint(1, 3)
    identity = random.choice(("i", "0", "i + 1"))
    change = random.choice(("g := 1;", "x := g; g := 1 - x;", "if (g == 0) { g := 1; } g := 0;", "g := 0;"))
    locked = f"atomic {{ assume m == 0; m := 1; }} {change} m := 0;" if random.random() < 0.6 else change
    joins = random.choice(("", "i := 0; while (i < N) { join ID; i := i + 1; }"))
    test = random.choice(("g == 0", "g != 2", "m == 0 ==> g < 2", "i < 5", "g + i < 4"))
    wait = random.choice(("", "assume m == 0;", "i := 7;", "if (i == N) { g := 0; }"))
    step = random.choice((1, 1, 2))
    main = f"""
thread main() {{ local i: int; i := 0;
  while (i < N) {{ fork (ID) worker(); i := i + {step}; }} {joins} {wait} assert {test}; }}"""
    return (
        "global g: 0..3 = 0;\nglobal m: 0..1 = 0;"
        + main.replace("ID", identity).replace("N", str(count))
        + f"\nthread worker() {{ local x: 0..3; {locked} }}\n"
    )
