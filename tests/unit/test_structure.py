"""Classes hold each other instead of inheriting from each other; imports stand at the top.

What is older than these rules is counted here. A number may only become smaller.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "seriatim"

MOST = 2
"""Classes of ours in a chain of inheritance, exceptions and protocols aside."""

DEEPER = {"frontends/c": 3}
"""Classes with longer chains, by room."""

HEAVY = {
    "z3",
    "cvc5",
    "islpy",
    "sqlglot",
    "distributed",
    "dask",
    "starlette",
    "uvicorn",
    "pygls",
    "lsprotocol",
}
HEAVY |= {"psycopg", "pycparser", "libcst", "resvg_py", "IPython"}
HEAVY |= {"ssl", "multiprocessing", "difflib", "resource", "pwd"}
HEAVY |= {"seriatim.lsp.features", "seriatim.web.play", "seriatim.frontends.sql.comparing"}
"""Packages that take long to load, that are optional, or that some systems lack; and modules made of them."""

DOORS = {
    "__init__": "the first name of the API that is asked for",
    "cli/entry": "the command line, after Ctrl-C is prepared for",
    "cli/main": "commands",
    "cli/check": "options of `ser check`",
    "cli/one_check": "details of a result",
    "cli/outputs": "formats of reports",
    "cli/speakers": "formats of what is printed",
    "cli/cluster_options": "where work is done",
    "frontends/all": "languages whose violations are repeated",
    "frontends/c/frontend": "C, once a file is read",
    "frontends/sql/frontend": "what is asked about SQL",
    "deciding/sources": "kinds of input",
    "deciding/pipeline": "questions",
    "engines/schedules/outcomes": "engines that are slow to begin",
    "checking/verify": "kinds of evidence",
    "web/answers": "fixes of services, which need processes: browsers have none",
    "checking/threads": "what is asked of threads, which decides how much a certificate rests on",
}
"""Modules that choose one among many, which they import once it is chosen: start-up is as short as before."""

_IMPORT = re.compile(r"^from seriatim\.([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)(?:\[.*?\])?(?:\(([^)]*)\))?:", re.MULTILINE)
_LATE = re.compile(r"^ +(?:from (\S+) import|import (\S+))", re.MULTILINE)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:.*\n(?: .*\n|\n)*", re.MULTILINE)
_ARGUMENTS = re.compile(r"\[[^\[\]]*\]")


@cache
def texts() -> dict[str, str]:
    """All modules without what is for types alone; quicker to search than syntax trees."""
    return {
        path.relative_to(PACKAGE).with_suffix("").as_posix(): _FOR_TYPES.sub("", path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def room(module: str) -> str:
    parts = module.split("/")
    return "/".join(parts[:2]) if parts[0] == "frontends" and len(parts) > 2 else parts[0]


def bases() -> dict[str, list[str]]:
    """The classes of ours, each with those from which it inherits."""
    found: dict[str, list[str]] = {}
    for module, text in texts().items():
        names: dict[str, str] = {}
        for source, imported in _IMPORT.findall(text):
            for part in imported.strip("()").split(","):
                name, _, alias = part.strip().partition(" as ")
                names[alias or name] = f"{source.replace('.', '/')}:{name}"
        for name, inherited in _CLASS.findall(text):
            while _ARGUMENTS.search(inherited):
                inherited = _ARGUMENTS.sub("", inherited)
            own = [each.strip() for each in inherited.split(",")]
            found[f"{module}:{name}"] = [names.get(each, f"{module}:{each}") for each in own if each]
    return found


def chain(name: str, classes: dict[str, list[str]]) -> int:
    """How many classes of ours are in the longest chain that ends here."""
    if name not in classes or any(each.endswith((":Exception", ":Protocol")) for each in classes[name]):
        return 0
    return 1 + max((chain(each, classes) for each in classes[name]), default=0)


def late_imports() -> Iterator[tuple[str, str]]:
    """The imports inside functions, other than those of doors and of heavy packages, with their modules."""
    for module, text in texts().items():
        for names in _LATE.findall(text):
            name = next(each for each in names if each)
            if module not in DOORS and not {name, name.split(".")[0]} & HEAVY:
                yield module, name


def test_chains_are_measured_through_modules() -> None:
    classes = {
        "a:A": [],
        "b:B": ["a:A"],
        "c:C": ["typing:Generic", "b:B"],
        "d:E": ["d:Exception"],
        "d:F": ["d:E"],
    }
    assert [chain(name, classes) for name in classes] == [1, 2, 3, 0, 1]


def test_classes_are_found_with_their_bases() -> None:
    found = bases()
    assert found["engines/safety/stages:LookForFault"] == ["engines/stage:Engine"]
    assert found["engines/shared/layers:Layers"] == ["engines/shared/layers:Generic"]
    assert len(found) > 1_500


def test_no_chain_of_inheritance_is_longer_than_two() -> None:
    classes = bases()
    deeper = Counter(room(name.split(":")[0]) for name in classes if chain(name, classes) > MOST)
    grown = {each: number for each, number in deeper.items() if number > DEEPER.get(each, 0)}
    assert grown == {}, "let objects hold each other instead"


def test_no_imports_stand_inside_functions() -> None:
    assert list(late_imports()) == [], (
        "import at the top of the module, or name what it chooses among (`DOORS`)"
    )


WITHOUT_VERBS = {"frontends/python": 55, "frontends/c": 40, "frontends/sql": 12, "frontends/p4": 6}
"""Functions whose docstrings begin with "What", by room: a verb says sooner what a function does."""


_HEAD = re.compile(r"^( *)(?:async def|def) .*", re.MULTILINE)


def begin_with_what(text: str) -> int:
    """The number of functions in a text whose docstrings begin so; properties are nouns."""
    found = 0
    for begin in re.finditer(r'^( +)"""What ', text, re.MULTILINE):
        head = text.rfind("def ", 0, begin.start())
        line = text[text.rfind("\n", 0, head) + 1 : begin.start()]
        signature = _HEAD.match(line)
        if signature is None or len(signature[1]) + 4 != len(begin[1]):
            continue  # It says what a value is, or a class.
        if line.rstrip().rpartition("\n")[2].startswith((signature[0], f"{signature[1]}) ")):  # not a member
            above = text[: text.rfind("\n", 0, head) + 1].rstrip().rpartition("\n")[2]
            found += "property" not in above
    return found


def test_docstrings_of_functions_begin_with_verbs() -> None:
    counts: Counter[str] = Counter()
    for module, text in texts().items():
        counts[room(module)] += begin_with_what(text)
    assert {each: number for each, number in counts.items() if number > WITHOUT_VERBS.get(each, 0)} == {}


MOST_SHARED_NAMES = 92
"""Names that more than two classes have. Code that reads like prose says which one it means."""


def test_classes_have_names_of_their_own() -> None:
    names = Counter(name.partition(":")[2] for name in bases())
    shared = [name for name, number in names.items() if number > 2]
    assert len(shared) <= MOST_SHARED_NAMES, f"say in the name what it is about; today: {sorted(shared)}"


def test_what_tests_share_is_in_the_testkit() -> None:
    tests = Path(__file__).parents[1]
    assert [path.name for path in tests.glob("*.py")] == ["conftest.py"]
