"""The example notebooks are true: their cells run, in order, and show what the files hold.

The cells run in this process, by the rules of notebooks as far as ours need them (one namespace, the value
of a last expression is shown): a kernel and its client would be twenty more packages for the same answer.

`UPDATE_GOLDEN=1 pytest tests/docs/test_notebooks.py` writes what is shown now.
"""

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"


def shown(code: str, namespace: dict[str, object]) -> dict[str, list[str]] | None:
    """Runs a cell; its value, in the forms that a notebook keeps."""
    *statements, last = ast.parse(code).body
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), namespace)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), "<cell>", "exec"), namespace)
        return None
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    forms = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        forms["text/html"] = value._repr_html_().splitlines(keepends=True)
    return forms


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook as it is after all cells have run."""
    namespace: dict[str, object] = {}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        data = shown("".join(cell["source"]), namespace)
        result = {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        cell |= {"execution_count": count, "outputs": [] if data is None else [result]}
    assert count, "no code"
    return notebook


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_cells_show_what_the_notebook_holds(path: Path) -> None:
    expected = path.read_text("utf-8")
    actual = json.dumps(executed(json.loads(expected)), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(actual, "utf-8")
    else:
        assert actual == expected


def test_there_are_notebooks() -> None:
    assert list(NOTEBOOKS.glob("*.ipynb"))
