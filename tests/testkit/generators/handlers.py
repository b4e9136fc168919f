"""Random handlers as users write them, as text: early returns, arrays, parameters, functions, both styles."""

from random import Random

HEAD = "A[2] := 0\nX := 0\n"


class HandlerMaker:
    """Draws a program whose handlers read, yield and write; the same seed gives the same text."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.is_layout = self.random.random() < 0.5

    def program(self) -> str:
        uses_arrays = self.random.random() < 0.5
        text = HEAD if uses_arrays else "X := 0\n" if self.random.random() < 0.5 else ""
        if self.random.random() < 0.2:
            text += self.definition("fun seen()", [f"return {self.place(False)}"])
        parameter = "(i in 0..1)" if uses_arrays else ""
        text += self.definition(f"request put{parameter}", self.body(uses_arrays))
        if self.random.random() < 0.5:
            text += self.definition("request get", [f"return {self.place(False)}"])
        elif self.random.random() < 0.5:
            text += self.definition(f"request more{parameter}", self.body(uses_arrays))
        return text

    def definition(self, head: str, lines: list[str]) -> str:
        if self.is_layout:
            return "\n".join([f"{head}:", *(f"    {line}" for line in lines), ""])
        if self.random.random() < 0.3 and not any(line.startswith((" ", "}")) for line in lines):
            return f"{head} {{ {'; '.join(lines)} }}\n"
        return "\n".join([f"{head} {{", *(self.separated(lines)), "}", ""])

    def separated(self, lines: list[str]) -> list[str]:
        """With `;` after all statements but the last of a block."""
        shown = []
        for number, line in enumerate(lines):
            following = lines[number + 1].strip() if number + 1 < len(lines) else "}"
            opens = line.rstrip().endswith("{")
            shown.append(f"    {line}" + ("" if opens or following.startswith("}") else ";"))
        return shown

    def place(self, uses_arrays: bool) -> str:
        return self.random.choice(["A[i]", "A[i]", "A[0]", "X"]) if uses_arrays else "X"

    def body(self, uses_arrays: bool) -> list[str]:
        shared = self.place(uses_arrays)
        lines: list[str] = []
        if self.random.random() < 0.3:
            lines += self.block(
                "if", f"{shared} == {self.random.randint(0, 2)}", [f"return {self.random.randint(3, 5)}"]
            )
        lines.append(f"x := {shared}")
        if self.random.random() < 0.4:
            lines += self.block(
                "if",
                f"x == {self.random.randint(0, 2)}",
                [f"return {self.random.choice(['9', 'x', shared])}"],
            )
        lines.append("yield")
        if self.random.random() < 0.2:
            lines += self.block("for", "j in 0..1", [f"y := {self.place(uses_arrays)}"])
        write = f"{shared} := (x + 1) % 3"
        match self.random.randint(0, 3):
            case 0:
                lines += self.block("if", "x < 2", [write])
            case 1:
                lines += self.block("if", "x < 2", [write, f"return {shared}"])
            case _:
                lines.append(write)
        if self.random.random() < 0.3:
            lines.append("yield")
        lines.append(self.random.choice([f"return {shared}", "return x", shared, "x", f"{shared} := x"]))
        return lines

    def block(self, word: str, head: str, lines: list[str]) -> list[str]:
        if self.is_layout:
            return [f"{word} {head}:", *(f"    {line}" for line in lines)]
        head = head if word == "for" else f"({head})"
        return [f"{word} {head} {{ {'; '.join(lines)} }}"]
