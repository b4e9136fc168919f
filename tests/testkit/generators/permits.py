"""Random programs that count holders and permits, of one resource or of each key, right or nearly so."""

from random import Random


class PermitMaker:
    """Draws a program as text: semaphores with amounts, readers and writers, reservations."""

    def __init__(self, random: Random, has_cells: bool = False) -> None:
        self.random = random
        self.has_cells = has_cells
        self.is_open = random.random() < 0.7
        """Whether requests have any integer as amount."""

    def program(self) -> str:
        random = self.random
        names = ("FREE", "READERS", "WRITING", "X")
        initial = {"FREE": random.choice([0, 2, 3])}
        if self.has_cells:
            declared = [f"{name}[key: int] := {initial.get(name, 0)}" for name in names]
        else:
            declared = [f"{name} := {value}" for name, value in initial.items()]
        makers = (self.permits, self.permits, self.reader, self.writer, self.drained, self.looks)
        handlers = [
            self.handler(f"h{number}", random.choice(makers)())
            for number in range(random.choice([1, 2, 2, 3]))
        ]
        return "\n".join((*declared, *handlers))

    def handler(self, name: str, body: str) -> str:
        parameters = ["k: key"] if self.has_cells else []
        parameters += ["n: int"] if self.is_open and " n" in body else []
        for each in ("FREE", "READERS", "WRITING", "X"):
            body = body.replace(each, f"{each}[k]") if self.has_cells else body
        given = f"({', '.join(parameters)})" if parameters else ""
        amount = "" if self.is_open else "n := 2; "
        return f"request {name}{given} {{ {amount if ' n' in body else ''}{body} }}"

    def permits(self) -> str:
        """Takes n permits, and gives them back."""
        random = self.random
        check = "if ( n < 0) { return 0 }; " if random.random() < 0.8 else ""
        wait = random.choice(["await FREE >= n; ", "if (FREE < n) { return 7 }; ", ""])
        back = (
            "FREE := FREE + n" if random.random() < 0.8 else random.choice(["FREE := FREE + 1", "FREE := n"])
        )
        return f"{check}{wait}FREE := FREE - n; yield; {self.inside()}{back}; {self.answer()}"

    def reader(self) -> str:
        random = self.random
        wait = "await WRITING == 0; " if random.random() < 0.85 else ""
        leave = "READERS := READERS - 1" if random.random() < 0.85 else "READERS := 0"
        return (
            f"{wait}READERS := READERS + 1; yield; v := X; yield; w := X; {leave}; {random.choice('vw')} + v"
        )

    def writer(self) -> str:
        random = self.random
        wait = random.choice(["READERS == 0 && WRITING == 0", "READERS == 0 && WRITING == 0", "WRITING == 0"])
        change = random.choice(["X := X + 1; yield; X := X + 1", "x := X; yield; X := x + 1"])
        return f"await {wait}; WRITING := 1; yield; {change}; WRITING := 0; X"

    def drained(self) -> str:
        """Takes all that there is, and gives it back."""
        back = self.random.choice(["FREE := FREE + t", "FREE := FREE + t", "FREE := t"])
        return f"t := FREE; FREE := 0; yield; {self.inside()}{back}; {self.random.choice(['0', 't'])}"

    def looks(self) -> str:
        return self.random.choice(["FREE", "X", "v := FREE; yield; v + FREE", "READERS"])

    def inside(self) -> str:
        random = self.random
        return random.choice(
            ["", "", "X := X + 1; yield; ", "x := X; yield; X := x + 1; ", "assert FREE <= 3; "]
        )

    def answer(self) -> str:
        return self.random.choice(["0", "0", "FREE", "X"])
