"""C text for the parser: macros, conditions, headers, attributes, preprocessed files, and places."""

import shutil
import subprocess
from pathlib import Path

import pytest

from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.frontends.c.headers import STUBS
from seriatim.frontends.c.preprocessing import Prepared, preprocess
from seriatim.result import Holds, Violated
from seriatim.source import Diagnostic, InputError, SourceText
from testkit.samples import deep


def written(text: str) -> str:
    return " ".join(preprocess(text, "t.c").text.removeprefix(STUBS).split())


def refused(text: str) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        read_c_threads(SourceText("t.c", text))
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 5\nint a[N];", "int a [ 5 ] ;"),
        (
            "#define TWICE(x) ((x) + (x))\ny = TWICE(TWICE(1));",
            "y = ( ( ( ( 1 ) + ( 1 ) ) ) + ( ( ( 1 ) + ( 1 ) ) ) ) ;",
        ),
        ("#define F(x) x\nint F;", "int F ;"),
        ("#define f f(1)\nf", "f ( 1 )"),
        ("#define G(a, ...) g(a, ## __VA_ARGS__)\nG(1) G(1, 2, 3)", "g ( 1 ) g ( 1 , 2 , 3 )"),
        ('#define S(x) #x\nS( a  +  "b" )', '"a + \\"b\\""'),
        ("#define JOIN(a, b) a ## b\nint JOIN(x, 1);", "int x1 ;"),
        ("#define LONG 1 + \\\n  2\nLONG", "1 + 2"),
        ("#define M(a) a\nM(1\n + 2)", "1 + 2"),
        ("#ifdef A\nno\n#elif 2 > 1\nyes\n#else\nno\n#endif", "yes"),
        ("#if 0\n#if 1\nno\n#else\nno\n#endif\n#elif 0\nno\n#endif\nyes", "yes"),
        ("#define A\n#if defined(A) && !defined B\nyes\n#endif", "yes"),
        ("#include <limits.h>\n#if INT_MAX > 5 && defined CHAR_BIT\nyes\n#endif", "yes"),
        ("__LINE__\n__LINE__", "1 2"),
        ("int x __attribute__((aligned(8))) = 1;", "int x = 1 ;"),
        ("typedef int small __attribute__((__mode__(__QI__)));", "typedef char small ;"),
        ('extern int f(void) __asm__("g");', "extern int f ( void ) ;"),
        ('int f() { __asm__ volatile ("" ::: "memory"); }', "int f ( ) { ; }"),
        ('# 1 "/usr/include/stdio.h" 1 3 4\nint hidden;\n# 2 "t.c" 2\nint seen;', "int seen ;"),
        ("/* a\n b */ x // y \\\n still\nz", "x z"),
        ("//@ assert x == \\true;", "__seriatim_assert ( x == 1 ) ;"),
        ("int a; /* no end", "int a ; / * no end"),
    ],
)
def test_what_the_parser_gets(text: str, expected: str) -> None:
    assert written(text) == expected


CONDITIONS = {
    "defined _LP64 && __SIZEOF_POINTER__ == 8": True,
    "ULONG_MAX + 1 == 0": True,
    "-1 < 0u": False,
    "~0u == 18446744073709551615u": True,
    "(1 ? -1 : 0u) > 0": True,
    "-7 / 2 == -3 && -7 % 3 == -1": True,
    "-1 >> 1 == -1": True,
    "0x8000000000000000 > 0": True,
    "defined true": False,
    "defined(UNHEARD_OF)": False,
    "defined __APPLE__ || defined _WIN32 || defined __cplusplus": False,
    "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__": True,
}


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS.items(), ids=str)
def test_conditions_are_computed_as_compilers_do(condition: str, holds: bool) -> None:
    text = f"#include <limits.h>\n#if {condition}\nyes\n#else\nno\n#endif"
    assert written(text) == ("yes" if holds else "no")
    if shutil.which("gcc") is not None:
        command = ["gcc", "-E", "-P", "-x", "c", "-"]
        said = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        assert (said.split()[-1] == "yes") is holds


@pytest.mark.parametrize(
    "name", ["__GLIBC__", "__GNUC_MINOR__", "errno", "RAND_MAX", "BUFSIZ", "PATH_MAX", "_POSIX_C_SOURCE"]
)
def test_names_that_a_compiler_may_know_are_refused(name: str) -> None:
    for condition in (f"#ifdef {name}", f"#if defined({name})", f"#if {name} > 2", f"#ifndef {name}"):
        found = refused(f"#include <pthread.h>\n{condition}\nint x;\n#endif\nint main() {{ }}")
        assert found.message.startswith(f"a condition on `{name}`")
        assert found.span is not None
        assert found.span.line == 2


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", ["_DEBUG", "_MY_OPTION_", "__MINE"])
def test_reserved_names_that_gcc_does_not_define_are_undefined(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "gcc")
    text = f"#include <pthread.h>\n#ifdef {name}\nyes\n#else\nno\n#endif"
    assert written(text) == "no"
    assert written(f"#define {name}\n{text}") == "yes"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", ["__has_builtin", "__COUNTER__", "_LIBC_LIMITS_H_", "FILENAME_MAX"])
def test_names_that_gcc_defines_are_defined_but_have_no_value(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "gcc")
    head = "#include <limits.h>\n#include <stdio.h>\n"
    for condition in (f"#ifdef {name}", f"#if defined({name})"):
        assert written(f"{head}{condition}\nyes\n#else\nno\n#endif") == "yes"
    assert written(f"{head}#ifndef {name}\n#define {name} 3\n#endif\nint x;") == "int x ;"
    found = refused(f"{head}#if {name} > 2\nint x;\n#endif\nint main() {{ }}")
    assert found.message.startswith(f"a condition on `{name}`")


@pytest.mark.parametrize("name", ["__USE_GNU", "_ISOC2X_SOURCE"])
def test_names_that_depend_on_options_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")
    found = refused(f"#include <limits.h>\n#ifdef {name}\nint x;\n#endif\nint main() {{ }}")
    assert found.message.startswith(f"a condition on `{name}`")


def test_the_version_of_the_compiler_is_not_guessed() -> None:
    assert written("#if __GNUC__ >= 4 && __GNUC__ != 3\nyes\n#endif") == "yes"
    assert refused("#if __GNUC__ >= 12\nint x;\n#endif\nint main() { }").message.startswith(
        "a condition on the version of the compiler"
    )


def test_headers_beside_the_program_are_read(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "inner.h").write_text("#pragma once\n#define LIMIT 3\nint inner;\n")
    (tmp_path / "limit.h").write_text(
        "#ifndef _LIMIT_H\n#define _LIMIT_H\n" + '#include "parts/inner.h"\n' * 2 + "int x;\n#endif"
    )
    text = '#include "limit.h"\n#include "limit.h"\nint a[LIMIT];\n__LINE__'
    (tmp_path / "t.c").write_text(text)
    prepared = preprocess(text, str(tmp_path / "t.c"))
    assert " ".join(prepared.text.removeprefix(STUBS).split()) == "int inner ; int x ; int a [ 3 ] ; 4"
    assert prepared.span(2, 1).line == 1


def test_headers_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "again.h").write_text('#include "again.h"\n')
    (tmp_path / "open.h").write_text("#if 1\n")
    (tmp_path / "line.h").write_text("int x = __LINE__;\n")
    for name, said in {
        "missing.h": "which is not beside the program",
        "again.h": "which includes itself",
        "open.h": "with a condition that does not end",
        "line.h": "`__LINE__`",
    }.items():
        text = f'\n#include "{name}"\nint main() {{ }}'
        (tmp_path / "t.c").write_text(text)
        with pytest.raises(InputError, match=said) as caught:
            preprocess(text, str(tmp_path / "t.c"))
        span = caught.value.diagnostics[0].span
        assert span is not None
        assert span.line == 2
    with pytest.raises(InputError, match="which is not beside the program"):
        preprocess('#include "line.h"\nanother text', str(tmp_path / "t.c"))


def test_reserved_names_may_guard_headers() -> None:
    assert written("#ifndef _QUEUE_H\n#define _QUEUE_H 1\nint x;\n#endif") == "int x ;"


def test_macros_of_headers_in_preprocessed_text_stay() -> None:
    text = """# 1 "t.c"
# 1 "/usr/include/stdbool.h" 1 3 4
int hidden;
# 2 "t.c" 2
int enabled[2] = { 0,
# 2 "t.c" 3 4
 1
# 2 "t.c"
 };"""
    assert written(text) == "int enabled [ 2 ] = { 0 , 1 } ;"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("option", ["-E", "-EP"])
def test_what_a_compiler_preprocesses_means_the_same(tmp_path: Path, option: str) -> None:
    source = tmp_path / "t.c"
    source.write_text(
        """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
int enabled[2] = { 0, true };
atomic_int turns;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
bool ready(void) { return false; }
void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  enabled[0] = ready();
  int seen = atomic_load(&turns);
  while (!atomic_compare_exchange_weak(&turns, &seen, seen + 1)) {}
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, NULL, worker, NULL);
  pthread_join(one, NULL);
  assert(enabled[0] == 0 && enabled[1] == 1);
  assert(atomic_exchange(&turns, 0) == 1);
}
"""
    )
    options = ["-E", "-P"] if option == "-EP" else ["-E"]
    text = subprocess.run(["gcc", *options, str(source)], capture_output=True, text=True, check=True).stdout
    here = read_c_threads(SourceText("t.i", text))
    assert isinstance(decide_threads(here, Options()).answer, Holds)
    broken = text.replace("enabled[1] == 1", "enabled[1] == 0")
    assert broken != text
    assert isinstance(decide_threads(read_c_threads(SourceText("t.i", broken)), Options()).answer, Violated)


def test_assertions_do_nothing_where_the_program_says_so() -> None:
    assert written("#define NDEBUG\n#include <assert.h>\nassert(x);") == "( ( void ) 0 ) ;"
    assert written("#include <assert.h>\nassert(x);") == "assert ( x ) ;"
    again = "#define NDEBUG\n#include <assert.h>\n#undef NDEBUG\n#include <assert.h>\nassert(x);"
    assert written(again) == "assert ( x ) ;"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("int x;\n#error no\nint main() { }", 2, "what the program itself refuses (#error no)"),
        ("#if 1\nint main() { }", 1, "a condition that does not end"),
        ("#endif\nint main() { }", 1, "an `#endif` without a condition"),
        ("#if 1 +\n#endif\nint main() { }", 1, "a condition of this form"),
        ("#if __has_include(<a.h>)\n#endif\nint main() { }", 1, "a condition on `__has_include`"),
        ("#define F(x) x\nint main() { F(1; }", 2, "a call of the macro `F` that does not end"),
        ("#define F(x) x\nint main() { F(1, 2); }", 2, "the macro `F` with 2 arguments"),
        ("#define F(x) + ## /\nint main() { F(1); }", 2, "`+/`, which `##` makes"),
        ('#include "mine.h"\nint main() { }', 1, 'the header "mine.h", which is not beside'),
        ("#pragma omp parallel\nint main() { }", 1, "OpenMP"),
        ("#import x\nint main() { }", 1, "the directive `#import`"),
        ("__attribute__((constructor)) void f() { }\nint main() { }", 1, "the attribute `constructor`"),
        ('int main() {\n __asm__("nop"); }', 2, "assembly"),
        ('int x;\n__asm__("nop");\nint main() { }', 2, "assembly"),
        ("int ma\\\nin() { }", 2, "a word on two lines"),
    ],
)
def test_what_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    found = refused(text)
    assert found.span is not None
    assert found.span.line == line
    assert found.message.startswith(what)
    assert found.hint


@deep
def test_macros_that_explode_are_refused() -> None:
    lines = ["#define A0 x x x x x x x x"]
    lines += [f"#define A{n} {' '.join([f'A{n - 1}'] * 8)}" for n in range(1, 12)]
    found = refused("\n".join([*lines, "int main() { A11; }"]))
    assert found.message.startswith("macros that expand to so much text")


def test_every_word_knows_its_place() -> None:
    prepared = preprocess("#define TWO(x) x + x\nint  a = TWO(\n   bcd);\n", "t.c")
    assert isinstance(prepared, Prepared)
    found: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(prepared.text.split("\n"), 1):
        column = 1
        for word in line.split(" "):
            span = prepared.span(number, column)
            found.setdefault(word, []).append((span.line, span.column))
            column += len(word) + 1
    assert found["a"] == [(2, 6)]
    assert found["bcd"] == [(3, 4), (3, 4)]
    assert found["+"] == [(2, 10)]


def test_errors_in_expanded_text_are_shown_in_the_source() -> None:
    found = refused("#define STORE(x) x = 1\nint main() {\n\n   STORE(undeclared); }")
    assert found.span is not None
    assert (found.span.line, found.span.column) == (4, 10)


def test_headers_and_macros_that_the_user_names(tmp_path: Path) -> None:
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "most.h").write_text("#define MOST (LEAST + 1)\n", "utf-8")
    text = "#include <assert.h>\n#include HOW\nint main(void) { assert(MOST == 3); assert(FLAG == 1); }"
    for how in ('"most.h"', "<most.h>"):
        source = SourceText("t.c", text.replace("HOW", how))
        program = read_c_threads(source, False, [str(tmp_path / "limits")], ["LEAST=2", "FLAG"])
        assert isinstance(decide_threads(program, Options()).answer, Holds)
        other = read_c_threads(source, False, [str(tmp_path / "limits")], ["LEAST=3", "FLAG"])
        assert isinstance(decide_threads(other, Options()).answer, Violated)
    missing = refused(text.replace("HOW", '"most.h"'))
    assert "most.h" in missing.message
    assert "-I" in (missing.hint or "")


def test_words_of_other_verifiers_are_known() -> None:
    text = """
    #include <pthread.h>
    #include <errno.h>
    int x;
    void *worker(void *unused) {
      __ESBMC_atomic_begin(); x++; x--; __ESBMC_atomic_end();
      return 0;
    }
    int main(void) {
      pthread_t t;
      int n = nondet_int();
      __ESBMC_assume(n > ESRCH && n < EIO);
      pthread_create(&t, 0, worker, 0);
      __ESBMC_assert(x == 0 && n == EINTR, "nothing is seen in between");
      return 0;
    }
    """
    program = read_c_threads(SourceText("t.c", text))
    assert isinstance(decide_threads(program, Options()).answer, Holds)
