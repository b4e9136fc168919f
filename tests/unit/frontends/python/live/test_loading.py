"""Files are loaded as parts of their packages; what is not there does not keep them from running."""

from pathlib import Path

import pytest

from seriatim.frontends.python.live.service_runs import ServiceRuns, run_file
from seriatim.source import SourceText

COUNTER = """
class S:
    def __init__(self): self.n = 0
    async def add(self):
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        return t
"""


def run(path: Path, text: str) -> tuple[ServiceRuns, ...]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return run_file(SourceText(str(path), text), "", 20.0).services


@pytest.mark.parametrize(
    "head",
    [
        "import asyncio\nfrom nowhere import __version__ as v\nassert int(v.split('.')[0]) > 4\n",
        "import asyncio, importlib.metadata\nassert importlib.metadata.version('nowhere') > '4.3'\n",
        "import asyncio, os\nKEY = os.environ['NOBODY_HAS_SET_THIS']\n",
        "import asyncio\ntry:\n    import nowhere_fast\nexcept ImportError:\n    nowhere_fast = None\n",
    ],
    ids=["a version that is asked for", "metadata", "the environment", "an optional package"],
)
def test_what_is_not_there_is_replaced(head: str, tmp_path: Path) -> None:
    (found,) = run(tmp_path / "service.py", head + COUNTER)
    assert found.race is not None


def test_relative_imports_lead_to_the_package(tmp_path: Path) -> None:
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .limits import LIMIT\n")
    (package / "limits.py").write_text("LIMIT = 1\n")
    text = (
        "import asyncio\nfrom . import LIMIT\nfrom .limits import LIMIT as same\nassert LIMIT == same\n"
        + COUNTER
    )
    (found,) = run(package / "service.py", text)
    assert found.race is not None
