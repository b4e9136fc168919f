"""JUnit reports tell of requests that wait for ever, even where the property holds."""

from pathlib import Path
from xml.etree import ElementTree

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.report.junit import junit
from seriatim.source import SourceText

EXAMPLE = Path(__file__).parents[3] / "examples" / "properties" / "crossed_locks.ser"


def test_a_test_case_that_passes_shows_the_stuck_run() -> None:
    source = SourceText(EXAMPLE.name, EXAMPLE.read_text("utf-8"))
    result = decide(read_input(source), Options(), source=source)
    (case,) = ElementTree.fromstring(junit([result])).iter("testcase")
    assert case.find("failure") is None
    assert case.find("error") is None
    told = case.findtext("system-out", "")
    assert "SER710" in told
    assert "STUCK" in told
