"""Included files: where they are found, and that they mean the same as their text in place."""

from pathlib import Path

import pytest

from seriatim.frontends.p4.frontend import translate
from seriatim.frontends.p4.translation import analyse
from seriatim.result import Violated
from seriatim.source import InputError, SourceText
from testkit.inputs.packet_programs import COUNT, analysis, decided, refusals, text

HEADERS = """#ifndef HEADERS
#define HEADERS
#include <core.p4>
header h_t { bit<8> a; bit<8> b; bit<1> flag; bit<7> rest; bit<8> res; bit<8> more; }
#include "more.p4"
#endif
"""
MORE = "struct headers { h_t h; }\nstruct metadata { bit<8> m; }\n"


def split(folder: Path, included: str = "include/headers.p4") -> SourceText:
    """The program of these tests in three files; the two others are in a folder beside it."""
    whole = "// ser: r width 2\n" + text(COUNT)
    lines = whole.split("\n")
    first = next(place for place, line in enumerate(lines) if line.startswith("header "))
    lines[first : first + 3] = [f'#include "{included}"', '#include "include/headers.p4"', ""]
    (folder / "include").mkdir()
    (folder / "include" / "headers.p4").write_text(HEADERS)
    (folder / "include" / "more.p4").write_text(MORE)
    main = folder / "main.p4"
    main.write_text("\n".join(lines))
    return SourceText(str(main), main.read_text())


def test_files_are_found_beside_the_file_that_includes_them(tmp_path: Path) -> None:
    source = split(tmp_path)
    whole = analysis("// ser: r width 2\n" + text(COUNT))
    assert analyse(source, {}).model.program.handlers == whole.model.program.handlers
    assert isinstance(decided("// ser: r width 2\n" + text(COUNT)).answer, Violated)


def test_folders_may_be_named(tmp_path: Path) -> None:
    source = split(tmp_path, "headers.p4")
    with pytest.raises(InputError, match=r"`#include` of `headers\.p4`: there is no such file"):
        translate(source)
    translate(source, {"include": str(tmp_path / "include")})


def test_a_changed_file_changes_the_program(tmp_path: Path) -> None:
    source = split(tmp_path)
    analyse(source, {})
    (tmp_path / "include" / "more.p4").write_text(MORE.replace("bit<8> m;", "bit<8> other;"))
    (tmp_path / "include" / "headers.p4").write_text(HEADERS.replace("res;", "gone;"))
    with pytest.raises(InputError, match="no field `res`"):
        analyse(source, {})


def test_a_text_that_is_not_a_file_includes_nothing(tmp_path: Path) -> None:
    source = split(tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        translate(SourceText(source.name, source.text + "\n"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("more.p4", '#include "more.p4"\n', "`more.p4` includes itself"),
        ("more.p4", "#endif\n", "`#endif` without `#if`"),
        ("more.p4", "#if 1\n", "this `#if` does not end"),
        ("v1model.p4", "", "a `v1model.p4` of your own is not read"),
        ("more.p4", "const bit<8> X = ;\n", "expected an expression"),
    ],
)
def test_what_cannot_be_included_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    source = split(tmp_path)
    (tmp_path / "include" / name).write_text(content)
    (tmp_path / "include" / "headers.p4").write_text(f'#include "{name}"\n')
    with pytest.raises(InputError, match=message) as found:
        translate(source)
    span = found.value.diagnostics[0].span
    assert span is not None
    assert Path(span.file).parent.name == "include"


def test_an_operation_on_a_register_has_to_be_in_the_program_itself(tmp_path: Path) -> None:
    control = text(COUNT)
    start, end = control.index("control I("), control.index("control E(")
    (tmp_path / "ingress.p4").write_text(control[start:end])
    main = tmp_path / "main.p4"
    main.write_text("// ser: r width 2\n" + control[:start] + '#include "ingress.p4"\n' + control[end:])
    with pytest.raises(InputError, match="an operation on a register in an included file"):
        translate(SourceText(str(main), main.read_text()))


def test_words_are_joined_in_macros() -> None:
    macro = "#define COUNT(num) r##num.read(n, 0); r##num.write(0, n + 1); hdr.h.res = n\n"
    body = "register<bit<8>>(1) r1;"
    found = analysis("// ser: r1 width 2\n" + macro + text("COUNT(1);", locals=body))
    assert found.part.registers == {"I.r1"}
    (wrong,) = refusals(macro.replace("r##num.read", "##num.read") + text("COUNT(1);"))
    assert wrong.message == "`#` in a macro is not supported"
