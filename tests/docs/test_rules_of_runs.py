"""The table of rules about runs on a live database names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "unit" / "frontends" / "sql"


def test_every_rule_has_a_test() -> None:
    page = (ROOT / "docs" / "theory" / "transactions.md").read_text("utf-8")
    rules = re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", page, re.M)
    assert [int(number) for number, _ in rules] == list(range(1, 20))
    for _, named in rules:
        file = ""
        for name in re.findall(r"`([^`]+)`", named):
            file, _, test = name.rpartition("::") if "::" in name else (file, "", name)
            assert f"def {test}(" in (TESTS / file).read_text("utf-8"), name
