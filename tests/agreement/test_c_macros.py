"""Random macros are replaced as gcc replaces them: arguments, `#`, `##`, recursion, conditions."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from seriatim.frontends.c.headers import STUBS
from seriatim.frontends.c.preprocessing import preprocess
from seriatim.frontends.c.tokens import tokenize
from seriatim.source import InputError
from testkit.samples import sample

COMPILER = shutil.which("gcc")
NAMES = ("A", "B", "C", "F", "G", "H")
SIMPLE = ("x", "1", "+", "(", ")", ",", "A", "B", "C", "F", "G", "H", "y", "F(1)", "G(x, y)", "H(A)")


class Generator:
    """Texts with macros and conditions; not all of them are right."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def text(self) -> str:
        return "\n".join(self.lines(self.random.randint(4, 12), 0))

    def lines(self, count: int, depth: int) -> list[str]:
        found: list[str] = []
        for _ in range(count):
            roll = self.random.random()
            if roll < 0.35:
                found.append(self.definition())
            elif roll < 0.42:
                found.append(f"#undef {self.random.choice(NAMES)}")
            elif roll < 0.6 and depth < 2:
                inner = self.lines(self.random.randint(1, 3), depth + 1)
                other = self.lines(self.random.randint(1, 2), depth + 1)
                middle = self.random.choice(("#else", f"#elif {self.condition()}"))
                found += [self.opening(), *inner, middle, *other, "#endif"]
            else:
                found.append(" ".join(self.random.choices(SIMPLE, k=self.random.randint(1, 7))))
        return found

    def definition(self) -> str:
        name = self.random.choice(NAMES)
        parameters = {"F": ["p"], "G": ["p", "q"], "H": ["..."]}.get(name)
        words = [*SIMPLE]
        if parameters is not None:
            given = ["__VA_ARGS__"] if name == "H" else parameters
            words += given * 4
            words += [f"#{each}" for each in given]
            words += [f"x##{given[0]}", f"{given[0]}##1", f"{given[0]} ## {given[-1]}"]
        body = " ".join(self.random.choices(words, k=self.random.randint(0, 5)))
        head = name if parameters is None else f"{name}({', '.join(parameters)})"
        return f"#define {head} {body}"

    def opening(self) -> str:
        return self.random.choice(
            (
                f"#ifdef {self.random.choice(NAMES)}",
                f"#ifndef {self.random.choice(NAMES)}",
                f"#if {self.condition()}",
            )
        )

    def condition(self) -> str:
        atoms = ["0", "1", "2", "'a'", "defined A", "defined(B)", "UNKNOWN", "0x10", "-3"]
        one, other, third = self.random.choices(atoms, k=3)
        operators = ("&&", "||", "==", "<", "+", "-", "*", "|", "^", "&", ">>", "!=")
        return f"({one} {self.random.choice(operators)} {other}) {self.random.choice(operators)} !{third}"


def ours(text: str) -> list[str] | None:
    try:
        written = preprocess(text, "t.c").text.removeprefix(STUBS)
    except InputError:
        return None
    return [token.text for line in tokenize(written, "") for token in line]


def theirs(text: str, folder: Path) -> list[str] | None:
    assert COMPILER is not None
    source = folder / "t.c"
    source.write_text(text + "\n", "utf-8")
    done = subprocess.run(
        [COMPILER, "-E", "-P", "-w", str(source)], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0 or "error" in done.stderr:
        return None
    return [token.text for line in tokenize(done.stdout, "") for token in line]


@pytest.mark.skipif(COMPILER is None, reason="gcc is not installed; `.ci/run` installs it")
@pytest.mark.parametrize("first", sample(60, 15))
def test_macros_are_replaced_as_by_gcc(first: int, tmp_path: Path) -> None:
    agreed = 0
    for seed in range(first * 10, first * 10 + 10):
        text = Generator(seed).text()
        mine, other = ours(text), theirs(text, tmp_path)
        if mine is not None and other is not None:
            assert mine == other, text
            agreed += 1
        else:
            assert mine is None, text  # What gcc refuses is refused here.
    assert agreed
