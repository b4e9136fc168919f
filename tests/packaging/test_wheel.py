"""What users install: the wheel holds the package, whole, and works where only its dependencies are."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest

from supply.needed import needed
from testkit.samples import deep

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.xdist_group("packaging"),  # one process, so that one build serves all
]

REPOSITORY = Path(__file__).parents[2]

ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
RACING = "request flip { x := N; yield; N := 1 - x; x }\n"


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def succeed(*command: str | Path, cwd: Path) -> str:
    finished = run(*command, cwd=cwd)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def place(kind: str, environment: Path) -> Path:
    """Where an environment keeps its files of a kind, on this platform."""
    return Path(sysconfig.get_path(kind, "venv", {"base": str(environment)}))


def copy_distribution(installed: Distribution, site_packages: Path) -> None:
    for file in installed.files or ():
        if ".." not in file.parts:  # scripts lie outside, and a library needs none
            target = site_packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), target)


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it declares to need, and nothing else.

    The dependencies are copied from the environment of the tests: these are the locked versions, and no
    network is needed.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    site_packages = place("purelib", folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder)]
    succeed(*pip, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    (metadata,) = site_packages.glob("seriatim-*.dist-info")
    for part in needed(PathDistribution(metadata)).values():
        copy_distribution(part, site_packages)
    succeed(*pip, "check", cwd=folder)
    return folder


def ser(environment: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the installed command in the environment's folder, far from the sources."""
    return run(place("scripts", environment) / "ser", *arguments, cwd=environment)


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Every source file, among them the marker of typed packages, error texts and schemas; no tests."""
    source = REPOSITORY / "src"
    package = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert shipped == package
    assert {"seriatim/py.typed", "seriatim/report/errors.md"} <= shipped
    assert any(name.endswith(".schema.json") for name in shipped)


@deep
def test_installed_command_states_its_version(environment: Path) -> None:
    """`ser --version` states the version that the wheel's metadata state."""
    finished = ser(environment, "--version")

    assert finished.returncode == 0, finished.stderr
    assert distribution("seriatim").version in finished.stdout


@deep
@pytest.mark.parametrize(
    ("program", "exit_code"), [(ATOMIC, 0), (RACING, 1)], ids=["proof", "counterexample"]
)
def test_installed_command_decides(environment: Path, program: str, exit_code: int) -> None:
    """`ser check` decides a program without the sources, the tests or their tools at hand."""
    (environment / "program.ser").write_text(program)

    finished = ser(environment, "check", "program.ser")

    assert finished.returncode == exit_code, finished.stdout + finished.stderr
    assert "serializable" in finished.stdout
    assert ("not serializable" in finished.stdout) == (exit_code == 1)
