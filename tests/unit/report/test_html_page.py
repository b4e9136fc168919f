"""The HTML report: whole, harmless whatever the inputs contain, and alive in a browser."""

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.elaborate import elaborate
from seriatim.explain.explanation import Detail, Explanation
from seriatim.frontends.all import read_input
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.html.highlight import highlight_lines
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.result import Lost, Result, Unusable
from seriatim.source import Diagnostic, SourceText, Span
from testkit.samples import deep

EVIL = '</script><script>document.title="evil"</script><img src=x onerror=alert(1)>\'"&'
RACY = "request flip {\n  x := N;\n  yield;\n  N := 1 - x;\n  x\n}\n"
ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
SEATS = """\
SEATS := 2
request buy {
    if (SEATS == 0) { return 9 };
    yield;
    SEATS := SEATS - 1;
    SEATS
}
"""
ENDLESS = "request grow { N := N + 1; yield; N }\n"
SYSTEM = json.dumps(
    {
        "initial_global": f"g{EVIL}",
        "requests": [[EVIL, "start"]],
        "responses": [["end", f"answer{EVIL}"], ["other", "2"]],
        "transitions": [
            ["start", f"g{EVIL}", f"middle{EVIL}", f"g{EVIL}"],
            [f"middle{EVIL}", f"g{EVIL}", "end", "h"],
            [f"middle{EVIL}", "h", "end", "h"],
            ["start", "h", "other", "h"],
        ],
    }
)

CHROMIUM = shutil.which("chromium")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


Told = tuple[Result, Explanation]


def decided(name: str, text: str) -> Told:
    source = SourceText(name, text)
    content = read_input(source)
    result = decide(content, Options(), source=source)
    details = frozenset({Detail.BLAME, Detail.PICTURES, Detail.REPAIRS})
    return result, elaborate(content, result, details, Options())


def written(*told: Told) -> str:
    return page([section(result, explanation) for result, explanation in told], "1.2")


class Reader(HTMLParser):
    """The elements of a page with their attributes, and its text outside of styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside not in ("script", "style"):
            self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def all_kinds() -> list[Told]:
    mistake = Diagnostic("SER005", f"expected {EVIL}", Span(1, 1, 1, 2), EVIL)
    return [
        decided("racy.ser", RACY),
        decided("atomic.ser", ATOMIC),
        decided(f"{EVIL}.json", SYSTEM),
        (Result(SourceText(f"bad{EVIL}", EVIL), SERIALIZABILITY, Unusable((mistake,))), Explanation()),
        (Result(SourceText("lost.ser", ""), SERIALIZABILITY, Lost(EVIL)), Explanation()),
    ]


def test_nothing_that_an_input_contains_becomes_an_element() -> None:
    reader = Reader(written(*all_kinds()))
    assert reader.count("script") == 1
    assert reader.count("img") == 0
    assert f"answer{EVIL}" in reader.text


def test_the_page_loads_nothing() -> None:
    text = written(*all_kinds())
    reader = Reader(text)
    assert not [attributes for _, attributes in reader.elements if "src" in attributes]
    links = {attributes["href"] for name, attributes in reader.elements if name == "a"}
    assert all(link is not None and link.startswith("#") for link in links)
    (policy,) = (a["content"] for _, a in reader.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "url(" not in text


def test_several_inputs_have_an_index_that_leads_to_them() -> None:
    reader = Reader(written(*all_kinds()))
    identifiers = {attributes["id"] for _, attributes in reader.elements if "id" in attributes}
    targets = [attributes["href"] for name, attributes in reader.elements if name == "a"]
    assert len(targets) == 5
    assert {str(target)[1:] for target in targets} <= identifiers


def test_one_input_has_no_index() -> None:
    assert Reader(written(decided("atomic.ser", ATOMIC))).count("nav") == 0


def test_the_same_inputs_give_the_same_page() -> None:
    assert written(*all_kinds()) == written(*all_kinds())


def test_the_line_where_a_request_is_interrupted_is_marked() -> None:
    reader = Reader(written(decided("racy.ser", RACY)))
    noted = {
        attributes["data-line"]: attributes.get("class")
        for _, attributes in reader.elements
        if "data-line" in attributes
    }
    assert noted == {"1": None, "2": "ran", "3": "ran blamed", "4": "ran", "5": "ran", "6": None}
    assert "interrupted here" in reader.text


def test_verdict_reason_and_evidence_are_there() -> None:
    text = Reader(written(decided("racy.ser", RACY))).text
    assert "not serializable" in text
    assert "A contradiction" in text
    assert "SHA-256" in text
    assert Reader(written(decided("racy.ser", RACY))).count("svg") == 3


def test_a_mistake_is_shown_with_the_run_that_makes_it() -> None:
    faulty = "S in 0..1 := 0\nrequest a { S := S + 1; yield; S := 0; 1 }\n"
    reader = Reader(written(decided("faulty.ser", faulty)))
    assert "outside 0..1" in reader.text
    assert reader.count("table") == 1


def test_our_words_have_no_backticks_and_no_pictures_are_open() -> None:
    reader = Reader(
        written(decided("racy.ser", RACY), decided("atomic.ser", ATOMIC), decided("bad.ser", ENDLESS))
    )
    assert "`" not in reader.text
    assert reader.count("details") > 3
    assert not [
        attributes for name, attributes in reader.elements if name == "details" and "open" in attributes
    ]


def test_what_no_text_has_is_not_drawn() -> None:
    text = "A[2] in 0..1 := 0\nrequest put(i in 0..1) { x := A[X]; yield; A[X] := x; X := i; x }\n"
    reader = Reader(written(decided("put.ser", text)))
    assert reader.count("svg") > 0
    assert "fault(" not in reader.text
    assert "#1" not in reader.text


LINES = """X := (x + 1) % 3; yield  // back `tick`
request <b>&:

if A1 and 7: # 12
{"a": ["b\\"", 3]}
/* a comment that
 * "goes" on */ x = 'it''s';
s = '''a text
in two lines''' + "an open one
#include <stdio.h>
\\if :left > 0 -- so
"""


@pytest.mark.parametrize(
    "name",
    ["a.ser", "a.py", "a.json", "<stdin>", "a.sql", "a.c", "a.p4", "a.conc", "a.actions"],
)
def test_highlighted_source_reads_as_the_source(name: str) -> None:
    shown = highlight_lines(LINES, name)
    assert "\n".join(Reader(str(line)).text for line in shown) == LINES
    for line in LINES.split("\n"):
        assert Reader(str(highlight_lines(line, name)[0])).text == line


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.sql", "SELECT x FROM t -- all", ["word:SELECT", "word:FROM", "comment:-- all"]),
        ("a.sql", "set a = 'it''s' where b = :me", ["word:set", "text:'it''s'", "word:where", "global::me"]),
        ("a.c", '#include "a.h"\nint x; /* a\nb */', ["global:#include", 'text:"a.h"', "word:int",
                                                     "comment:/* a", "comment:b */"]),
        ("a.py", 'def f():\n    """a\n    # b"""', ["word:def", 'text:"""a', 'text:    # b"""']),
        ("a.actions", "action main(): // go", ["word:action", "comment:// go"]),
        ("a.conc", "thread main() { fork x }", ["word:thread", "word:fork"]),
        ("a.ser", "X := 1 // one", ["global:X", "number:1", "comment:// one"]),
    ],
)  # fmt: skip
def test_each_language_has_its_own_words(name: str, text: str, expected: list[str]) -> None:
    told = "".join(highlight_lines(text, name))
    found = re.findall(r'<span class="t-(\w+)">(.*?)</span>', told)
    assert [f"{kind}:{html.unescape(word)}" for kind, word in found] == expected


def test_a_run_ends_in_sight_and_its_lines_have_the_colours_of_their_requests() -> None:
    told = written(decided("racy.ser", RACY))
    assert 'class="run"' in told
    assert (
        told.count('<span class="lanes" aria-hidden="true"><i class="hue-0"></i><i class="hue-1"></i>') == 4
    )
    text = "request a { x := N; yield; M := 1; x }\nrequest b { x := M; yield; N := 1; x }\n"
    told = written(decided("two.ser", text))
    assert '<code class="actor hue-0">a</code>' in told
    assert '<span class="actor hue-1">b/' in told


def test_proved_fixes_are_shown_with_what_changes() -> None:
    reader = Reader(written(decided("racy.ser", RACY)))
    assert "Proved fixes" in reader.text
    assert "Put a lock into flip" in reader.text
    assert [attributes for _, attributes in reader.elements if attributes.get("class") == "new"]


def test_of_what_is_endless_a_part_is_drawn() -> None:
    reader = Reader(written(decided("endless.ser", ENDLESS)))
    assert "Only a part is drawn: there are more than 5,000 states" in reader.text


# In a browser

ATTEMPTS = 3
"""How often a browser is started that ends before it has shown the page: a busy machine has too little of
something. What the page then does is never tried twice."""


def dom(text: str, folder: Path, is_done: str = "</html>") -> str:
    """The page after its scripts have run: it contains what says that they are done."""
    assert CHROMIUM is not None
    file = folder / "report.html"
    file.write_text(text, "utf-8")
    command = [
        CHROMIUM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--disable-dev-shm-usage",  # which is small in containers, and shared by all browsers
        "--dump-dom",
    ]
    complaints = []
    for attempt in range(ATTEMPTS):
        profile = f"--user-data-dir={folder / f'profile{attempt}'}"
        finished = subprocess.run(
            [*command, profile, file.as_uri()], capture_output=True, text=True, timeout=600, check=False
        )
        if finished.returncode == 0 and is_done in finished.stdout:
            return finished.stdout
        complaints.append(f"exit code {finished.returncode}\n{finished.stderr}")
    pytest.fail(f"no browser has shown the page: {complaints}")


def titled(text: str, script: str, folder: Path) -> str:
    """What a script of a test puts into the title; the page's own policy would not let it run."""
    open_page = re.sub(r"<meta http-equiv=[^>]*>", "", text)
    end = "document.documentElement.id = 'done';"
    page_with_script = open_page.replace("</body>", f"<script>{script}\n{end}</script></body>")
    shown = dom(page_with_script, folder, is_done=' id="done"')
    found = re.search(r"<title>(.*?)</title>", shown)
    assert found
    return html.unescape(found[1])


@deep
@needs_browser
def test_our_script_runs_under_the_policy_and_no_other_does(tmp_path: Path) -> None:
    shown = dom(
        written(*all_kinds()).replace("</body>", "<script>document.title='evil'</script></body>"), tmp_path
    )
    assert "<title>Seriatim report</title>" in shown
    assert 'aria-current="step"' in shown, "our script has chosen a step"


STEPS = """
  const rows = [...document.querySelectorAll("table.run tbody tr")], seen = [];
  const press = (key, target) => target.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const look = () => seen.push(rows.findIndex((row) => row.ariaCurrent === "step") + ":" +
    [...document.querySelectorAll(".source .marked")].map((li) => li.dataset.line).join(","));
  const body = document.body, frame = document.querySelector(".timeline .frame");
  look();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) { press(key, body); look(); }
  for (const key of ["End", "ArrowDown", "ArrowUp", "Home"]) { press(key, frame); look(); }
  press("ArrowRight", document.querySelector(".code .frame")); look();
  const buttons = [...document.querySelectorAll(".timeline .bar button")];
  buttons[2].click(); look();
  buttons[3].click(); look();
  seen.push(buttons[3].ariaDisabled);
  rows[2].click(); look();
  seen.push(document.querySelector(".timeline output").textContent);
  document.title = seen.join(" ");
"""


@needs_browser
def test_keys_buttons_and_clicks_step_through_the_run(tmp_path: Path) -> None:
    """Arrow keys do so before anything has the focus; where they scroll something else, they do not."""
    by_keys = "0: 1:2,3 2:2,3 1:2,3 4:4,5 4:4,5 3:4,5 0: 0:"
    by_buttons = "1:2,3 4:4,5 true 2:2,3 Step 2 of 4: request 2: flip"
    assert titled(written(decided("racy.ser", RACY)), STEPS, tmp_path) == f"{by_keys} {by_buttons}"


LOOKS = """
  const page = document.documentElement, found = [];
  for (const width of [360, 700, 1280]) {
    page.style.width = `${width}px`;
    const { right } = document.querySelector("td.state").getBoundingClientRect();
    found.push(document.body.scrollWidth - document.body.clientWidth, right <= width);
  }
  const details = document.querySelector("#input-2 details:has(.graph)");
  details.open = true;
  const graph = details.querySelector(".graph"), width = () => graph.getBoundingClientRect().width;
  const room = details.querySelector(".frame").getBoundingClientRect().width, fitting = width();
  const buttons = [...details.querySelectorAll(".bar button")];
  buttons[1].click();
  found.push(fitting <= room, width() > fitting);
  buttons[2].click();
  found.push(width() === fitting);
  document.title = found.join(" ");
"""


@deep
@needs_browser
def test_the_state_is_on_the_page_at_any_width_and_pictures_can_be_magnified(tmp_path: Path) -> None:
    text = written(decided("seats.ser", SEATS), *all_kinds())
    assert titled(text, LOOKS, tmp_path) == "0 true 0 true 0 true true true true"
