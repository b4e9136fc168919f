"""Counts the lines that a reader trusts who believes an accepted certificate, for each kind of evidence.

The checker loads what checks a kind of evidence when such evidence is met. So a certificate rests on
`seriatim.checking.verify` with all that it imports, and on the module that is called as its kind, with all
that this one imports; for threads also on `seriatim.checking.threads`. Certificates about asynchronous
programs and about logs rest on the modules `verify` of these rooms. Imports inside functions count as well,
except where they load what checks a kind. `make architecture` writes the figures into the pages.
"""

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from seriatim.certificate.all import KINDS
from seriatim.checking.verify import ANSWERS

DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src"
DISPATCH = "seriatim.checking.verify"
THREADS = "seriatim.checking.threads"
ACTIONS = "seriatim.checking.sequentialization.verify"
LOGS = "seriatim.checking.history.verify"
LEVELS = "seriatim.checking.history.isolation"
DISPATCHERS = (DISPATCH, THREADS, ACTIONS)


def file_of(module: str) -> Path | None:
    path = SOURCE / Path(*module.split("."))
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists()), None)


def tree_of(module: str) -> ast.Module:
    file = file_of(module)
    assert file is not None, module
    return ast.parse(file.read_text("utf-8"))


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """Our own modules that these nodes import when they are executed."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("seriatim"):
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found.update(name if file_of(name) else str(node.module) for name in names)
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            found |= imported(ast.iter_child_nodes(node))
    return found


def reached(modules: Iterable[str]) -> set[str]:
    """These modules, and all that they import."""
    found: set[str] = set()
    pending = list(modules)
    while pending:
        module = pending.pop()
        if module not in found:
            found.add(module)
            pending.extend(imports_of(module))
    return found


@cache
def imports_of(module: str) -> frozenset[str]:
    """What it imports; of a module that leads to the checkers of many kinds, what that imports at once."""
    body = tree_of(module).body
    at_once = [node for node in body if not isinstance(node, ast.FunctionDef)]
    return frozenset(imported(at_once if module in DISPATCHERS else body))


def kinds() -> dict[str, set[str]]:
    """For each kind of evidence, the modules that check it."""
    answering = {kind for kinds in ANSWERS.values() for kind in kinds}
    dispatched = {kind: {DISPATCH} if kind in answering else {DISPATCH, THREADS} for kind in KINDS}
    own = {kind: {f"seriatim.checking.{kind.replace('-', '_')}"} for kind in KINDS}
    found: dict[str, set[str]] = {kind: dispatched[kind] | own[kind] for kind in KINDS}
    found["action-run"] = {ACTIONS, "seriatim.checking.sequentialization.action_run"}
    found["sequentialization"] = {ACTIONS, "seriatim.checking.sequentialization.order"}
    found |= {f"history-{kind}": {LOGS} for kind in ("order", "walk", "contradiction", "counts")}
    found |= {f"transaction-{kind}": {LEVELS} for kind in ("order", "anomaly", "cycles")}
    return found


def lines(modules: Iterable[str]) -> int:
    files = (file_of(module) for module in modules)
    return sum(len(file.read_text("utf-8").splitlines()) for file in files if file is not None)


def trusted() -> dict[str, tuple[int, int]]:
    """For each kind: lines of the checker, and lines that it shares with the rest."""
    found: dict[str, tuple[int, int]] = {}
    for kind, own in sorted(kinds().items()):
        modules = reached(own)
        checking = {module for module in modules if module.startswith("seriatim.checking")}
        found[kind] = (lines(checking), lines(modules - checking))
    return found


def write() -> None:
    """Writes the table of docs/certificates.md and the figures of README."""
    found = trusted()
    page = DOCS / "certificates.md"
    rows = "".join(f"| `{name}` | {own:,} | {shared:,} |\n" for name, (own, shared) in found.items())
    page.write_text(
        re.sub(r"(?:^\| `[a-z-]+` \| [\d,]+ \| [\d,]+ \|\n)+", rows, page.read_text("utf-8"), flags=re.M)
    )
    own, shared = zip(*found.values(), strict=True)
    small, large, few, many = (rounded(size) for size in (min(own), max(own), min(shared), max(shared)))
    figures = f"{small}\nto {large} lines of the checker, and {few} to {many} shared ones"
    readme = DOCS.parent / "README.md"
    pattern = (
        r"[\d,]+\s+to\s+[\d,]+\s+lines\s+of\s+the\s+checker,\s+and\s+[\d,]+\s+to\s+[\d,]+\s+shared\s+ones"
    )
    readme.write_text(re.sub(pattern, figures, readme.read_text("utf-8")))


def rounded(size: int) -> str:
    """Two figures of it, which is as exact as readers need."""
    step = 10 ** (len(str(size)) - 2)
    return f"{round(size / step) * step:,}"


if __name__ == "__main__":
    write()
