"""What is built once for all tests of what users install."""

import subprocess
import sys
from pathlib import Path

import pytest

from testkit.samples import IS_DEEP

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel; with DEEP=1 from the source distribution, so that this one is known to be whole, too."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    if not IS_DEEP:
        command.append("--wheel")
    finished = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (built,) = folder.glob("*.whl")
    return built
