"""Values of expressions, as gcc prints them: types, conversions, constants of headers, extensions of gcc."""

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from testkit.samples import sample

COMPILER = shutil.which("gcc")

HEADERS = "".join(
    f"#include <{name}.h>\n"
    for name in (
        *("assert", "errno", "limits", "pthread", "semaphore", "stdatomic", "stdbool", "stddef", "stdint"),
        *("stdio", "stdlib", "string", "time", "unistd", "sys/types"),
    )
)

EXPRESSIONS = {
    "numbers of several widths": (
        "",
        "unsigned char c = 200; short h = -3; unsigned u = 5; long l = -7; int i = -9; unsigned long ul = 3; "
        "_Bool b; b = 4;",
        [
            *("c + c", "(signed char)c", "c << 1", "~c", "-c", "!c", "h / 2", "h % 2", "i / 2", "i % 4"),
            *("l >> 1", "i >> 1", "u - 6", "u - 6 > 0", "ul - 4", "(unsigned)i % 7", "b", "b + b"),
            *("(char)300", "(short)70000", "i < u", "l < u", "c * c * c", "sizeof(c + c)", "sizeof(h + u)"),
            *("sizeof(l ? i : u)", "(i < 0) ? u : -1", "(1 ? -1 : u)", "-1 > 0u", "(unsigned char)-1"),
            *("(long)(unsigned)-1", "'a'", "'\\n'", "'\\xff'", "'\\377'", "sizeof('a')", "0x7fffffff + 0u"),
            *("0xffffffff", "sizeof(0xffffffff)", "sizeof(4294967296)", "sizeof(1L)", "010", "u << 31"),
            *("1u << 31", "c | 1", "c & 0x0f", "c ^ 0xff", "i & 7", "i | 8", "i ^ 5", "u & ~1u"),
        ],
    ),
    "constants of headers": (
        "",
        "",
        [
            *("ULONG_MAX", "LLONG_MAX", "LLONG_MIN", "ULLONG_MAX", "INT8_MIN", "INT16_MIN", "INT32_MIN"),
            *("INT64_MIN", "INT_MIN", "UINT_MAX + 1", "RAND_MAX", "BUFSIZ", "EOF", "CHAR_BIT", "PTRDIFF_MAX"),
            *("INTPTR_MAX", "SSIZE_MAX", "SIZE_MAX", "PTHREAD_BARRIER_SERIAL_THREAD", "EBUSY", "ETIMEDOUT"),
            *("EDEADLK", "ESRCH", "EWOULDBLOCK", "ECHILD", "EPIPE", "EDOM", "ENODEV", "ENOSPC", "EMFILE"),
            *("ENFILE", "EOVERFLOW", "ECANCELED", "ENOTSUP", "PTHREAD_CREATE_DETACHED", "STDOUT_FILENO"),
            *("PTHREAD_CREATE_JOINABLE", "PTHREAD_PROCESS_SHARED", "SEM_VALUE_MAX", "CLOCK_MONOTONIC"),
            *("sizeof(LLONG_MAX)", "sizeof(INT8_MIN)", "sizeof(INT64_MIN)", "PTRDIFF_MAX + 0u > 0"),
        ],
    ),
    "types of headers": (
        "",
        "pid_t p = 3; off_t o = -1; u_int32_t u = -1; wchar_t w = 5;",
        [
            *("p", "o", "u", "w", "sizeof(pid_t)", "sizeof(off_t)", "sizeof(mode_t)", "sizeof(uid_t)"),
            *("sizeof(clockid_t)", "sizeof(useconds_t)", "sizeof(clock_t)", "sizeof(suseconds_t)"),
        ],
    ),
    "extensions of gcc": (
        "int f(void) { return 3; } int g; struct s { int a; long b; } st = {1, 2}; int arr[3];",
        "int x = 1; unsigned char uc = 7; __auto_type z = uc + 1; typeof(x) y = 4; __typeof__(&x) p = &y; "
        "typeof(st) q = {5, 6}; typeof(long) l = 8; __auto_type r = &st; __auto_type aa = arr; aa[1] = 4; "
        "int k; switch (3) { case 1: k = 1; break; case 2 ... 4: k = 2; break; default: k = 3; }",
        [
            *("(g ?: 5)", "(0 ?: 5)", "(7 ?: 5)", "z", "y + *p", "q.a + q.b", "l", "r->b", "sizeof(z)"),
            *("arr[1]", "_Alignof(int)", "_Alignof(long)", "__alignof__(char)", "_Alignof(struct s)"),
            *("(f() ?: 9)", "({ typeof(x) x = y + 1; x; })", "(x - 1) ?: f()", "k"),
        ],
    ),
    "macros": (
        "#define CAT(a, b) a##b\n#define STR(x) #x\n#define XSTR(x) STR(x)\n#define N 4\n"
        "#define VA(f, ...) f(__VA_ARGS__)\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "int add(int a, int b) { return a + b; }\n"
        "#if ULONG_MAX + 1 == 0 && __GNUC__ >= 5\nint k = 1;\n#else\nint k = 2;\n#endif\n",
        "int xy = 3;",
        [
            *("CAT(x, y)", "sizeof(STR(a b))", "sizeof(XSTR(N))", "VA(add, 1, 2)", "MAX(xy, N)", "CAT(1, 2)"),
            "k",
        ],
    ),
}


@pytest.mark.skipif(COMPILER is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_have_the_values_that_a_compiler_finds(name: str, tmp_path: Path) -> None:
    before, body, expressions = EXPRESSIONS[name]
    begin = f"{HEADERS}{before}\nint main() {{\n{body}\n"
    printing = "".join(f'printf("%lld\\n", (long long)({each}));\n' for each in expressions)
    (tmp_path / "t.c").write_text(f"{begin}{printing}return 0; }}\n")
    subprocess.run([str(COMPILER), "-w", "-o", "t", "t.c"], cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "t")], capture_output=True, text=True, check=True).stdout.split()
    claims = "\n".join(
        f"assert(({each}) == {value if int(value) > -(2**63) else '(-9223372036854775807 - 1)'});"
        for each, value in zip(expressions, said, strict=True)
    )
    for text, kind in ((claims, Holds), (f"{claims}\nassert(0);", Violated)):
        program = read_c_threads(SourceText("t.c", f"{begin}{text}\nreturn 0; }}"))
        assert isinstance(decide_threads(program, Options(timeout=30.0)).answer, kind)


STATE = "int a = 3, b, c = -2; unsigned char u = 200; struct { int x, y; } s = {1, 0}; int r;\n"


def random_formula(random: Random, depth: int = 4) -> str:
    if depth == 0 or random.random() < 0.1:
        return random.choice(("a", "b", "c", "u", "s.x", "s.y", "0", "2"))
    left, right, last = (random_formula(random, depth - 1) for _ in range(3))
    return random.choice(
        (
            *(f"({left} && {right})", f"({left} || {right})", f"({left} ? {right} : {last})", f"!{left}"),
            *(f"({left} < {right})", f"({left} == {right})", f"({left} + {right})", f"(({left}) - {right})"),
        )
    )


@pytest.mark.skipif(COMPILER is None, reason="gcc is not installed")
@pytest.mark.parametrize("seed", sample(60, 10))
def test_lazy_operators_in_atomic_sections_are_formulas(seed: int, tmp_path: Path) -> None:
    """There are far more ways through such a section than are looked at one by one."""
    random = Random(seed)
    written = [(random.choice(("a", "b", "c", "u", "s.y")), random_formula(random)) for _ in range(12)]
    body = "".join(f"{name} = {formula};\n" for name, formula in written)
    final = "a + 3 * b + 5 * c + 7 * u + 11 * s.y"
    (tmp_path / "t.c").write_text(
        f'#include <stdio.h>\n{STATE}int main() {{\n{body}printf("%d\\n", {final}); return 0; }}\n'
    )
    subprocess.run(
        [str(COMPILER), "-w", "-fsanitize=signed-integer-overflow", "-o", "t", "t.c"],
        cwd=tmp_path,
        check=True,
    )
    run = subprocess.run([str(tmp_path / "t")], capture_output=True, text=True, check=True)
    if run.stderr:  # An overflow.
        return
    section = f"__VERIFIER_atomic_begin();\n{body}__VERIFIER_atomic_end();\n"
    for operator, kind in (("==", Holds), ("!=", Violated)):
        text = f"{STATE}int main() {{\n{section}assert({final} {operator} {run.stdout}); return 0; }}"
        program = read_c_threads(SourceText("t.c", text))
        assert len(program.by_name["main"].edges) <= 8
        assert isinstance(decide_threads(program, Options(timeout=30.0)).answer, kind)
