"""Writes the tables of ARCHITECTURE.md from docstrings, in the order of the import rules."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "seriatim"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN = "<!-- What follows comes from docstrings: make architecture -->\n"


def page() -> str:
    """The page as it should be: its text as it is, and the tables as the code is."""
    text, found, _ = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    if not found:
        raise SystemExit(f"{PAGE.name} has no line {BEGIN}")
    return text + BEGIN + "".join(f"\n{section}" for section in sections())


def sections() -> Iterator[str]:
    """A section for each package, with a row for each module; one for all modules without a package."""
    alone: list[Path] = []
    for name in layers():
        folder = PACKAGE / name
        if folder.is_dir():
            modules = sorted(path for path in folder.rglob("*.py") if path.name != "__init__.py")
            yield f"### `{name}/`\n\n{sentence(folder / '__init__.py')}\n\n{table(modules, folder)}"
        elif (module := folder.with_suffix(".py")).exists():
            alone.append(module)
    yield f"### Modules of their own\n\n{table(alone, PACKAGE)}"


def layers() -> Iterator[str]:
    """The names of the import rules, from the top down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    for layer in contract["layers"]:
        yield from (re.sub(r"\W", "", name) for name in layer.split("|"))


def table(modules: list[Path], folder: Path) -> str:
    rows = (f"| `{path.relative_to(folder).as_posix()}` | {sentence(path)} |\n" for path in modules)
    return "| module | what |\n|---|---|\n" + "".join(rows)


def sentence(path: Path) -> str:
    """The first paragraph of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split()).removesuffix(".").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
