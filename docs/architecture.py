"""Writes the table of rooms in ARCHITECTURE.md, docs/modules.md and the page of the testkit from docstrings.

Rooms stand in the order of the import rules.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "seriatim"
ROOMS = ROOT / "ARCHITECTURE.md"
MODULES = ROOT / "docs" / "modules.md"
TESTKIT = ROOT / "tests" / "testkit"
BEGIN = "<!-- What follows comes from docstrings: make architecture -->\n"
INTRODUCTION = """# Modules

Every module in a sentence, room by room; a room imports only those below it. `ARCHITECTURE.md` says how data
flow through the rooms and where to start reading. This page is made of docstrings: `make architecture`.
"""
SHARED_BY_TESTS = """# The testkit

Several tests share these modules: `from testkit.generators.programs import random_program`. Begin with
the question: where do inputs come from (`generators`, `inputs`), what is the right answer (`oracles`), what
has to be refused (`forgeries`), and how is a command run (`running`)? `samples` says how many random cases a
test looks at. This page is made of docstrings: `make architecture`.
"""


def pages() -> Mapping[Path, str]:
    """The pages as they should be: the text as it is, and the tables as the code is."""
    text, found, _ = ROOMS.read_text(encoding="utf-8").partition(BEGIN)
    if not found:
        raise SystemExit(f"{ROOMS.name} has no line {BEGIN}")
    return {
        ROOMS: f"{text}{BEGIN}\n{rooms()}",
        MODULES: INTRODUCTION + "".join(sections()),
        TESTKIT / "README.md": SHARED_BY_TESTS + "".join(folders()),
    }


def rooms() -> str:
    """A row for each room and each room inside it; one for each module that stands alone."""
    rows = []
    for name in layers():
        room = PACKAGE / name
        if room.is_dir():
            rows += [row(path.parent, path) for path in sorted(room.rglob("__init__.py"))]
        elif (module := room.with_suffix(".py")).exists():
            rows.append(row(module, module))
    return "| room | what |\n|---|---|\n" + "".join(rows)


def sections() -> Iterator[str]:
    """A table of modules for each room; one for all modules that stand alone."""
    alone: list[Path] = []
    for name in layers():
        room = PACKAGE / name
        if room.is_dir():
            modules = sorted(path for path in room.rglob("*.py") if path.name != "__init__.py")
            yield section(f"`{name}/`", modules, room)
        elif (module := room.with_suffix(".py")).exists():
            alone.append(module)
    yield section("Modules of their own", alone, PACKAGE)


def folders() -> Iterator[str]:
    """A table of modules for each folder of the testkit, under what the folder is for."""
    for folder in sorted(path.parent for path in TESTKIT.glob("*/__init__.py")):
        modules = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
        yield section(f"`{folder.name}/`", modules, folder, f"{sentence(folder / '__init__.py')}.\n\n")
    yield section("Modules of their own", sorted(TESTKIT.glob("[a-z]*.py")), TESTKIT)


def layers() -> Iterator[str]:
    """The names of the import rules, from the top down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    for layer in contract["layers"]:
        yield from (re.sub(r"\W", "", name) for name in layer.split("|"))


def section(title: str, modules: list[Path], room: Path, purpose: str = "") -> str:
    rows = "".join(row(path, path, room) for path in modules)
    return f"\n## {title}\n\n{purpose}| module | what |\n|---|---|\n{rows}"


def row(named: Path, described: Path, room: Path = PACKAGE) -> str:
    name = named.relative_to(room).as_posix()
    return f"| `{name}{'' if named.suffix else '/'}` | {sentence(described)} |\n"


def sentence(path: Path) -> str:
    """The first sentence of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    words = " ".join(docstring.split("\n\n")[0].split())
    first = re.split(r"(?<=[a-z)`])\. (?=[A-Z`])", words)[0]
    return first.removesuffix(".").replace("|", "\\|")


if __name__ == "__main__":
    for page, content in pages().items():
        page.write_text(content, encoding="utf-8")
