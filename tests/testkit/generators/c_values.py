"""Random C programs about one thread whose values are easy to get wrong: structures by value, functions that
change their parameters, recursion with local arrays, equal names in nested blocks, `switch` that falls
through, conditions with side effects, and conversions between integer types.
"""

from random import Random

HEAD = """#include <string.h>
typedef unsigned char byte; typedef signed char tiny; typedef unsigned short word;
struct in { int a[2]; byte b; }; struct out { struct in i; tiny t; struct in j[2]; };
int x = 2; int y = -3; unsigned n = 4000000000u; byte b = 200; tiny t = -100; word w = 65000; short h = 300;
_Bool flag; struct in m = {{1, 2}, 3}; struct in k; struct out o = {{{4, 5}, 6}, -7}; struct out v[2];
int calls; static int *at = &x; struct in *in = &m;
int touch(int by) { calls++; x += by; return by; }
struct in made(int x, byte b) { struct in m = {{x, b}}; m.b = x; return m; }
struct in changed(struct in m, int by) { m.a[0] += by; m.b -= by; x = m.a[1]; return m; }
struct out nested(struct out o, struct in k) { o.j[1] = k; k.a[0] = 9; o.i = changed(k, o.t); o.t = o.i.b;
  return o; }
int weighed(struct in m) { int s = m.a[0] + 3 * m.a[1] + 5 * m.b; m.b = 0; return s; }
int down(int n, int x) { int l[2] = {n, x}; if (n <= 0) return x; l[1] = down(n - 1, x + l[0]);
  return l[0] + l[1]; }
int both(int n) { int s = n; { int n = s + 1; s += n; { int s = 7; n += s; } s += n; } return s + n; }
void swap(struct in *p, struct in *q) { struct in s = *p; *p = *q; *q = s; }
void fill(struct out *p, int n) { for (int i = 0; i < 2; i++) { p->j[i].a[i] = n + i;
  p->i.b = (byte)(n * i); } }
int early(int n) { for (int i = 0; i < 3; i++) { if (i == n) return i + 10; x++; } return -1; }
static int counted(void) { static int c = 3; return ++c; }
int pick(int n) { switch (n) { case 0: x++; case 1: y--; break; case 5: default: x = 1; case 2: y += 2; }
  return x; }
int twice(int z) { return 2 * z; } int minus(int z) { return -z; }
int apply(int (*f)(int), int z) { return f(z) + 1; }
"""

FINAL = (
    "x + 3 * y + (int)(n % 1000) + 5 * b + 7 * t + 11 * (w % 100) + 13 * h + flag + calls"
    " + m.a[0] + 2 * m.a[1]"
    " + 3 * m.b + 4 * k.a[0] + 5 * k.a[1] + 6 * k.b + 7 * o.i.a[0] + 8 * o.i.a[1] + 9 * o.i.b + 10 * o.t"
    " + 11 * o.j[0].a[0] + 12 * o.j[1].a[0] + 13 * o.j[0].b + 14 * o.j[1].a[1] + 15 * v[0].i.a[1]"
    " + 16 * v[1].j[1].b + 17 * v[1].t + 18 * v[1].j[0].a[1]"
)


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.depth = 0

    def text(self) -> str:
        """Without its end: a caller asks about `FINAL`."""
        body = "\n".join(self.statement() for _ in range(self.random.randint(3, 8)))
        return f"{HEAD}int main() {{ int z = 3; struct in l = m; byte c = 250; int r[2] = {{5}};\n{body}\n"

    def small(self) -> str:
        """Something between 0 and 1."""
        return self.random.choice(("0", "1", "(x & 1)", "(z & 1)", "!b"))

    def number(self) -> str:
        """A place for an integer."""
        return self.random.choice(
            (
                *("x", "y", "n", "b", "t", "w", "h", "z", "c", "m.b", "k.b", "o.t", "*at", "in->b"),
                *("o.i.b", "flag"),
                f"m.a[{self.small()}]",
                f"l.a[{self.small()}]",
                f"r[{self.small()}]",
                f"o.j[{self.small()}].a[{self.small()}]",
                f"v[{self.small()}].i.a[1]",
                f"v[{self.small()}].j[{self.small()}].b",
                f"in->a[{self.small()}]",
            )
        )

    def structure(self) -> str:
        """A place for a `struct in`."""
        return self.random.choice(
            ("m", "k", "l", "o.i", "*in", f"o.j[{self.small()}]", f"v[{self.small()}].i", "v[1].j[0]")
        )

    def condition(self, depth: int = 1) -> str:
        """Without side effects: C leaves the order of operands open."""
        one, other = self.value(depth + 1), self.value(depth + 1)
        return self.random.choice(
            (
                f"({one} < {other})",
                f"({one} == {other})",
                f"!({one})",
                f"(n > {one})",
                f"(b < t || {one})",
                f"({one} && {other})",
            )
        )

    def test(self) -> str:
        """A condition that may do something, in an order that C fixes."""
        one, other = self.value(2), self.value(2)
        return self.random.choice(
            (
                self.condition(),
                f"(touch({self.random.randint(-2, 2)}) && {one})",
                f"({one} || touch({self.random.randint(0, 3)}))",
                f"(({one} && touch(2)) || ({other} && touch(-1)))",
                f"({one} ? touch(0) : early({other}) > 9)",
                f"(x++, {one})",
                f"(pick({one}) == 1 && {other})",
            )
        )

    def value(self, depth: int = 0) -> str:
        roll = self.random.random()
        if depth > 2 or roll < 0.2:
            return str(self.random.choice((-129, -1, 0, 1, 2, 7, 127, 200, 256)))
        if roll < 0.5:
            return self.number()
        one, other = self.value(depth + 1), self.value(depth + 1)
        return self.random.choice(
            (
                f"({one} + {other})",
                f"({one} - {other})",
                f"({one} / {self.random.choice((-3, 2, 10))})",
                f"({one} % {self.random.choice((-4, 3, 10))})",
                f"({self.condition(depth + 1)} ? {one} : {other})",
                self.condition(depth + 1),
                f"(byte)({one})",
                f"(tiny)({one})",
                f"(word)({one})",
                f"(unsigned)({one})",
                f"(int)(short)({one})",
                f"(_Bool)({one})",
                f"weighed({self.structure()})",
                f"weighed(made({one}, {self.random.randint(0, 300)}))",
                f"made({one}, 4).b",
                f"down({self.random.randint(0, 3)}, {one})",
                f"both({one})",
                f"apply({self.random.choice(('twice', 'minus'))}, {one})",
                f"({one} & 7)",
                f"-({one})",
                "(int)sizeof(struct in)",
            )
        )

    def effect(self) -> str:
        """A value whose computation changes something."""
        one = self.value(2)
        return self.random.choice(
            (
                f"touch({self.random.randint(-2, 2)})",
                "counted()",
                f"pick({one})",
                f"early({one})",
                "x++",
                "--c",
                "m.b--",
                f"({self.test()} ? touch(3) : {one})",
                f"(x++, {one})",
                f"weighed(changed({self.structure()}, {one}))",
                self.test(),
            )
        )

    def block(self) -> str:
        """With names that stand for something else inside."""
        self.depth += 1
        inner = " ".join(self.statement() for _ in range(self.random.randint(1, 3)))
        self.depth -= 1
        hidden = self.random.choice(
            ("", "", "int x = 6;", "byte y = 255;", "struct in m = k;", "int z = x + 1;")
        )
        return f"{{ {hidden} {inner} }}"

    def statement(self) -> str:
        roll = self.random.random()
        if self.depth < 2 and roll < 0.25:
            return self.random.choice(
                (
                    f"if ({self.test()}) {self.block()} else {self.block()}",
                    f"for (int i = 0; i < 3; i++) {{ if (x > 500) continue; {self.block()} }}",
                    f"do {{ {self.block()} if (c == 7) break; }} while (0);",
                    f"switch ({self.value(1)}) {{ case 0: {self.block()} case 1: {self.block()} break;"
                    f" case 7: z = 1; default: {self.block()} case -1: c++; }}",
                    self.block(),
                )
            )
        if roll < 0.6:
            return self.about_structures()
        if roll < 0.75:
            place = self.random.choice(("y", "z", "h", "w", "flag", "r[0]", "k.b", "o.t"))
            return f"{place} = {self.effect()};"
        operator = self.random.choice(("=", "=", "=", "+=", "-="))
        return f"{self.number()} {operator} {self.value()};"

    def about_structures(self) -> str:
        place, small = self.structure(), self.small()
        fixed = self.random.choice(("m", "k", "l", "o.i", "v[1].j[0]", "o.j[1]"))
        other = self.random.choice(("k", "l", "v[1].i"))
        return self.random.choice(
            (
                f"{self.structure()} = {place};",
                f"{self.structure()} = made({self.value(2)}, {self.value(2)});",
                f"{self.structure()} = {self.condition()} ? {place} : {self.structure()};",
                f"{fixed} = changed({place}, {self.value(2)});",
                f"{fixed} = changed(changed({place}, 2), {self.random.randint(-3, 300)});",
                f"{fixed} = nested(o, {place}).i;",
                f"{fixed} = nested(v[{small}], made(1, 300)).j[1];",
                f"{fixed} = {self.test()} ? {place} : {self.structure()};",
                f"o = nested(o, {place});",
                f"v[{small}] = o;",
                f"o = v[{small}];",
                f"v[1] = nested(v[{small}], {place});",
                f"swap(&{self.random.choice(('m', 'k', 'o.i'))}, &{other});",
                f"fill(&{self.random.choice(('o', 'v[1]'))}, {self.value(1)});",
                f"{{ struct out s = o; s.j[0].a[1] = {self.value(1)}; v[1] = s; }}",
                *("in = &k;", "in = &v[1].j[0];", "at = &r[1];", "at = &o.i.a[0];"),
                *("memset(&k, 0, sizeof(k));", "memcpy(&o.i, &m, sizeof(struct in));"),
            )
        )


def program(seed: int) -> str:
    return Generator(seed).text()
