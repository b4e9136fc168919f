"""The page is in the wheel, with the licences of what it bundles; the archive for browsers is whole."""

import sys
from pathlib import Path
from subprocess import run
from zipfile import ZipFile

import pytest

from seriatim.web.server import page_folder
from testkit.samples import deep

REPOSITORY = Path(__file__).parents[2]

pytestmark = [pytest.mark.packaging, pytest.mark.xdist_group("packaging")]

needs_page = pytest.mark.skipif(
    not page_folder().joinpath("index.html").is_file(), reason="the page is not built: make page"
)


@deep
@needs_page
def test_the_wheel_contains_the_page(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    page = page_folder()
    built = {path.relative_to(page).as_posix() for path in page.rglob("*") if path.is_file()}
    assert {"index.html", "licences.md"} <= built
    assert {f"seriatim/web/page/{name}" for name in built} <= names


@needs_page
def test_the_page_loads_nothing_from_elsewhere_and_names_the_licences_of_all_it_bundles() -> None:
    index = page_folder().joinpath("index.html").read_text("utf-8")
    assert "http" not in index.replace("http-equiv", "")
    licences = page_folder().joinpath("licences.md").read_text("utf-8")
    headings = [line for line in licences.splitlines() if line.startswith("## ")]
    assert len(headings) > 10
    assert {line.rpartition("(")[2] for line in headings} == {"MIT)"}


@deep
def test_the_archive_for_browsers_is_pure_and_the_same_twice(tmp_path: Path) -> None:
    script = REPOSITORY / "web" / "python_bundle.py"
    made = [tmp_path / "one.zip", tmp_path / "two.zip"]
    for target in made:
        run([sys.executable, script, target], check=True)
    assert made[0].read_bytes() == made[1].read_bytes()
    names = ZipFile(made[0]).namelist()
    assert {"seriatim/web/answers.py", "seriatim/report/errors.md", "sqlglot/__init__.py"} <= set(names)
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "/page/" in name]


@deep
def test_what_runs_in_browsers_needs_neither_processes_nor_a_solver(tmp_path: Path) -> None:
    """Python without site-packages, and with no way to start a process or to load z3."""
    archive = tmp_path / "python.zip"
    run([sys.executable, REPOSITORY / "web" / "python_bundle.py", archive], check=True)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "for name in ('z3', 'click', 'starlette', 'multiprocessing', '_posixsubprocess', 'resource'):\n"
        "    sys.modules[name] = None\n"
        "from seriatim.web.answers import about_text, answer_text\n"
        "import json\n"
        "assert '.sql' in json.loads(about_text(5))['suffixes']\n"
        "for path in sys.argv[2:]:\n"
        "    source = {'name': 'a.ser', 'text': open(path, encoding='utf-8').read()}\n"
        "    found = json.loads(answer_text('check', json.dumps(source), 20, lambda _: None))\n"
        "    print(found['verdict'])\n"
    )
    inputs = sorted((REPOSITORY / "examples").glob("*.ser"))
    ended = run(
        [sys.executable, "-S", "-c", program, archive, *inputs], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert set(ended.stdout.split()) == {"serializable", "not_serializable"}
