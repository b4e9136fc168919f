"""Folders: files in folders of folders are found, what is not for the command is counted, not refused."""

from pathlib import Path

from click.testing import CliRunner

from seriatim.cli.files import find_files
from seriatim.cli.main import main
from seriatim.cli.outputs import names_for
from seriatim.frontends.reading import InputFile

PROGRAM = "X in 0..1 := 0\nrequest a { X := 1 }\n"


def a_repository(folder: Path) -> Path:
    for name, text in {
        "a.ser": PROGRAM,
        "deep/er/a.ser": PROGRAM,
        "deep/b.actions": "action main(): skip",
        "package.json": '{"name": "x"}',
        "system.json": '{"initial_global": "g", "requests": [], "responses": [], "transitions": []}',
        "tool.py": "print('no coroutine')",
        "service.py": "async def f(): pass",
        "schema.sql": "create table t (id int);",
        "plain.c": "int main(void) { return 0; }",
        "threads.c": "#include <pthread.h>",
        "README.md": "# read me",
        "node_modules/x/a.ser": PROGRAM,
        ".hidden/a.ser": PROGRAM,
        "venv/pyvenv.cfg": "",
        "venv/lib/a.ser": PROGRAM,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_a_folder_stands_for_the_inputs_anywhere_in_it(tmp_path: Path) -> None:
    found = find_files([str(a_repository(tmp_path))])
    names = [file.path.relative_to(tmp_path).as_posix() for file in found.files if file.path is not None]
    assert names == ["a.ser", "deep/b.actions", "deep/er/a.ser", "service.py", "system.json", "threads.c"]
    assert found.skipped == 5


def test_the_number_of_skipped_files_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.ser").write_text(PROGRAM)
    (tmp_path / "in" / "README.md").write_text("# read me")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "in"), "-q", "--no-cache"])
    assert result.exit_code == 0
    assert result.output.endswith("1 input: 1 serializable; 1 other file skipped\n")


def test_a_folder_without_inputs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# read me")
    result = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert result.exit_code == 2
    assert "SER203" in result.output


def test_files_with_one_name_get_results_with_different_names() -> None:
    files = [InputFile(Path(name)) for name in ("x/a.ser", "x/a.py", "x/b.ser", "y/c.ser", "z/c.ser")]
    assert set(names_for(files).values()) == {"b", "a.ser", "a.py", "y-c.ser", "z-c.ser"}


TWO_SERVICES = """
import asyncio


class Racy:
    def __init__(self):
        self.n = 0

    async def inc(self):
        n = self.n
        await asyncio.sleep(0)
        self.n = n + 1
        return self.n


class Quick:
    def __init__(self):
        self.n = 0

    async def inc(self):
        self.n += 1
        return self.n
"""


def test_one_class_of_a_file(tmp_path: Path) -> None:
    """Its certificate says which, and is re-checked with the file."""
    file, proof = tmp_path / "two.py", tmp_path / "proof.json"
    file.write_text(TWO_SERVICES)
    ser = CliRunner()
    assert ser.invoke(main, ["check", f"{file}::Racy"]).exit_code == 1
    assert ser.invoke(main, ["check", f"{file}::Quick", "--certificate", str(proof)]).exit_code == 0
    assert ser.invoke(main, ["verify", str(proof), str(file)]).exit_code == 0
    assert ser.invoke(main, ["check", str(file)]).exit_code == 1
    unknown = ser.invoke(main, ["check", f"{file}::Other"])
    assert unknown.exit_code == 2
    assert "the file has no class `Other` with handlers" in unknown.output


def test_a_part_is_for_python_files_that_exist(tmp_path: Path) -> None:
    odd = tmp_path / "odd.py::Name"
    assert InputFile.with_part(f"{tmp_path}/odd.py::Name") == InputFile(tmp_path / "odd.py", "Name")
    odd.write_text("")
    assert InputFile.with_part(str(odd)) == InputFile(odd)
    assert InputFile.with_part("a.ser::incr") == InputFile(Path("a.ser::incr"))
    assert InputFile(Path("odd.py"), "Name").stem == "odd.Name"
