"""Random C programs with threads, each with a twin in `.conc`, written access by access.

The twin says by itself what a step is: every access to a global is a statement of its own, a lazy operator is
a branch, a copy of a structure is a list of assignments, a call is its body. So engines that read C are
compared with the rules of the language on the twin.
"""

from random import Random

GLOBALS = ("g", "h", "s.a", "s.b", "r.a", "r.b", "v[0]", "v[1]")
MUTEXES = ("m", "n")

HEAD = """
#include <pthread.h>
#include <assert.h>
struct pair { int a; int b; };
unsigned char g; int h; struct pair s, r; int v[2]; pthread_mutex_t m, n;
"""

Both = tuple[str, str]
"""C, and its twin."""


def named(variable: str) -> str:
    """A global of C in the twin."""
    return variable.replace(".", "_").replace("[", "").replace("]", "")


class CThreads:
    """A program: main, two templates, a function that all may call."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.temporaries = 0
        self.depth = 0
        self.used = set(self.random.sample(GLOBALS, 3))

    def texts(self) -> Both:
        names = ("a", "b")[: self.random.randint(1, 2)]
        threads = [self.thread(name) for name in names]
        main = self.main(names)
        declared = "".join(
            f"global {named(each)}: {'0..255' if each == 'g' else 'int'} = 0;\n" for each in GLOBALS
        )
        declared += "".join(f"global {each}: 0..1 = 0;\n" for each in MUTEXES)
        helper = "int twice(int p) { int x = p; struct pair q; q.a = x; q.b = h; x = q.a + q.b; return x; }\n"
        c = HEAD + helper + "".join(text for text, _ in threads) + main[0]
        return c, declared + main[1] + "".join(text for _, text in threads)

    def thread(self, name: str) -> Both:
        c, twin = self.block(self.random.randint(1, 3))
        return (
            f"void *{name}(void *p) {{ int x = (long)p; int i = 0; struct pair q = {{0, 0}};"
            f" {c} return 0; }}\n",
            f"thread {name}(p: int) {{ {self.locals()} x := p; i := 0; q_a := 0; q_b := 0; {twin} }}\n",
        )

    def main(self, names: tuple[str, ...]) -> Both:
        c, twin = "", ""
        cells = self.random.randint(1, 2)
        for cell in range(cells):
            name, value = self.random.choice(names), self.random.randint(0, 1)
            c += f"pthread_create(&t[{cell}], 0, {name}, (void *){value}L); "
            twin += f"fork {cell} {name}({value}); "
        inner = self.block(self.random.randint(0, 1))
        c, twin = c + inner[0], twin + inner[1]
        for cell in range(cells):
            if self.random.random() < 0.6:
                c += f"pthread_join(t[{cell}], 0); "
                twin += f"join {cell}; "
        claim = self.claim()
        return (
            f"int main() {{ pthread_t t[2]; int x = 0; int i = 0; struct pair q = {{0, 0}};"
            f" {c}{claim[0]} return 0; }}\n",
            f"thread main() {{ {self.locals()} x := 0; i := 0; q_a := 0; q_b := 0; {twin}{claim[1]} }}\n",
        )

    def locals(self) -> str:
        names = [f"t{number}" for number in range(1, self.temporaries + 1)]
        self.temporaries = 0
        return " ".join(f"local {each}: int;" for each in ("x", "i", "q_a", "q_b", *names))

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    # Expressions: C, statements of the twin that read, and the value in the twin

    def operand(self) -> tuple[str, str, str]:
        roll = self.random.random()
        if roll < 0.3:
            number = str(self.random.randint(0, 2))
            return number, "", number
        if roll < 0.45:
            return self.random.choice((("x", "", "x"), ("q.a", "", "q_a"), ("i", "", "i")))
        t = self.temporary()
        if roll < 0.55:
            return "v[i]", f"assert 0 <= i && i < 2; {t} := i == 0 ? v0 : v1; ", t
        name = self.random.choice(sorted(self.used))
        return name, f"{t} := {named(name)}; ", t

    def value(self) -> tuple[str, str, str]:
        one, reads, left = self.operand()
        if self.random.random() < 0.5:
            return one, reads, left
        if self.random.random() < 0.15:
            t = self.temporary()
            return f"twice({one})", f"{reads}{t} := h; {t} := {left} + {t}; ", t
        other, more, right = self.operand()
        sign = self.random.choice("+-")
        return f"{one} {sign} {other}", reads + more, f"({left} {sign} {right})"

    def condition(self) -> tuple[str, str, str]:
        one, reads, left = self.value()
        sign, number = self.random.choice(("==", "!=", "<", ">=")), self.random.randint(0, 2)
        if self.random.random() < 0.7:
            return f"{one} {sign} {number}", reads, f"{left} {sign} {number}"
        other, more, right = self.operand()
        t = self.temporary()
        is_and = self.random.random() < 0.5
        first = f"{t} := {left} {sign} {number} ? 1 : 0; "
        test = f"{t} == {1 if is_and else 0}"
        then = f"if ({test}) {{ {more}{t} := {right} == 1 ? 1 : 0; }} "
        joined = "&&" if is_and else "||"
        return f"({one} {sign} {number} {joined} {other} == 1)", reads + first + then, f"{t} == 1"

    # Statements

    def block(self, size: int) -> Both:
        found = [self.statement() for _ in range(size)]
        return "".join(c for c, _ in found), "".join(twin for _, twin in found)

    def statement(self) -> Both:
        roll = self.random.random()
        if roll < 0.3:
            return self.assignment()
        if roll < 0.38:
            return self.increment()
        if roll < 0.46:
            return self.random.choice(
                (
                    ("s = r; ", self.copied("s", "r")),
                    ("q = s; ", self.copied("q", "s")),
                    ("r = q; ", "r_a := q_a; r_b := q_b; "),
                )
            )
        if roll < 0.6 and self.depth < 2:
            return self.locked()
        if roll < 0.7 and self.depth < 2:
            return self.branch()
        if roll < 0.76 and self.depth < 2:
            return self.loop()
        if roll < 0.82:
            return self.atomic()
        if roll < 0.86:
            return "if (__VERIFIER_nondet_bool()) return 0; ", "if (*) { return; } "
        if roll < 0.92:
            return self.claim()
        return self.random.choice(
            (("i = 1; ", "i := 1; "), ("i = x; ", "i := x; "), ("x++; ", "x := x + 1; "))
        )

    def copied(self, target: str, source: str) -> str:
        t, u = self.temporary(), self.temporary()
        return f"{t} := {source}_a; {target}_a := {t}; {u} := {source}_b; {target}_b := {u}; "

    def stored(self, name: str, value: str) -> str:
        return f"{named(name)} := ({value}) % 256; " if name == "g" else f"{named(name)} := {value}; "

    def assignment(self) -> Both:
        name = self.random.choice([*sorted(self.used), "x", "q.b"])
        text, reads, value = self.value()
        return f"{name} = {text}; ", reads + self.stored(name, value)

    def increment(self) -> Both:
        name, t = self.random.choice(sorted(self.used)), self.temporary()
        if self.random.random() < 0.5:
            return f"{name}++; ", f"{t} := {named(name)}; " + self.stored(name, f"{t} + 1")
        text, reads, value = self.operand()
        return f"{name} -= {text}; ", f"{t} := {named(name)}; {reads}" + self.stored(name, f"{t} - {value}")

    def locked(self) -> Both:
        lock = self.random.choice(MUTEXES)
        self.depth += 1
        c, twin = self.block(self.random.randint(1, 2))
        self.depth -= 1
        return (
            f"pthread_mutex_lock(&{lock}); {c}pthread_mutex_unlock(&{lock}); ",
            f"atomic {{ assume {lock} == 0; {lock} := 1; }} {twin}{lock} := 0; ",
        )

    def branch(self) -> Both:
        text, reads, test = self.condition()
        self.depth += 1
        then, otherwise = self.block(1), self.block(1)
        self.depth -= 1
        if self.random.random() < 0.3:
            which, number = self.operand(), self.random.randint(0, 1)
            return (
                f"switch ({which[0]}) {{ case {number}: {then[0]} break; default: {otherwise[0]} }} ",
                f"{which[1]}if ({which[2]} == {number}) {{ {then[1]} }} else {{ {otherwise[1]} }} ",
            )
        return (
            f"if ({text}) {{ {then[0]} }} else {{ {otherwise[0]} }} ",
            f"{reads}if ({test}) {{ {then[1]} }} else {{ {otherwise[1]} }} ",
        )

    def loop(self) -> Both:
        self.depth += 1
        c, twin = self.block(1)
        if self.random.random() < 0.5:
            self.depth -= 1
            k = self.temporary()
            return (
                f"for (int k = 0; k < 2; k++) {{ {c} }} ",
                f"{k} := 0; while ({k} < 2) {{ {twin}{k} := {k} + 1; }} ",
            )
        text, reads, test = self.condition()
        self.depth -= 1
        return f"while ({text}) {{ {c} }} ", f"{reads}while ({test}) {{ {twin}{reads} }} "

    def atomic(self) -> Both:
        c, twin = self.random.choice((self.assignment, self.increment))()
        more, others = self.increment()
        return (
            f"__VERIFIER_atomic_begin(); {c}{more}__VERIFIER_atomic_end(); ",
            f"atomic {{ {twin}{others} }} ",
        )

    def claim(self) -> Both:
        text, reads, test = self.condition()
        if self.random.random() < 0.6:  # Fewer programs that fail at once.
            text, test = f"({text}) || h <= 3", f"({test}) || "
            t = self.temporary()
            return (
                f"assert({text}); ",
                f"{reads}{t} := 4; if (!({test[:-4]})) {{ {t} := h; assert {t} <= 3; }} ",
            )
        return f"assert({text}); ", f"{reads}assert {test}; "


def random_c_texts(seed: int) -> Both:
    return CThreads(seed).texts()
