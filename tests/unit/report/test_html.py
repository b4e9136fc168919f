"""HTML: whatever a program contains, it is text on the page."""

import json
from html.parser import HTMLParser

import pytest

import seriatim
from seriatim.report.html.markup import element

EVIL = '</script><script>alert("1")</script>\'"&'


class Reader(HTMLParser):
    """What a browser would see: the text, and the elements; complains about what is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the parser's signature
        self.open.append(tag)
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_text_is_escaped_and_markup_is_not() -> None:
    inner = element("b", EVIL, title=EVIL)
    assert Reader(element("p", inner)).text == EVIL
    assert Reader(inner).names == {"b"}


@pytest.mark.parametrize(("value", "html"), [(True, "<p hidden></p>"), (False, "<p></p>"), (None, "<p></p>")])
def test_attributes_may_be_flags(value: bool | None, html: str) -> None:
    assert element("p", hidden=value) == html


def test_characters_that_nobody_sees_are_replaced() -> None:
    assert element("p", "a\x00b\u202ec") == "<p>a\ufffdb\ufffdc</p>"


def evil_system() -> str:
    """Two requests that both see an evil state, and answer with an evil text."""
    local, state, answer = (f"{kind}{EVIL}" for kind in ("local", "state", "answer"))
    return json.dumps(
        {
            "initial_global": "g",
            "requests": [[EVIL, "start"]],
            "responses": [["end", answer], ["other", "no"]],
            "transitions": [
                ["start", "g", local, "g"],
                [local, "g", "end", state],
                [local, state, "end", state],
                ["start", state, "other", state],
            ],
        }
    )


def test_names_of_a_network_system_cannot_inject() -> None:
    verdict = seriatim.check(evil_system())
    assert isinstance(verdict, seriatim.NotSerializable)
    reader = Reader(verdict._repr_html_())
    assert f"answer{EVIL}" in reader.text
    assert f"state{EVIL}" in reader.text
    assert "script" not in reader.names


def test_a_run_shows_its_lines_changes_and_answers() -> None:
    verdict = seriatim.check("request flip { x := N; yield; N := 1 - x; x }\n")
    text = Reader(verdict._repr_html_()).text
    assert "not serializable" in text
    assert "N: 0 ➜ 1" in text
    assert "answers: flip/0 ×2" in text
    assert "No one-at-a-time order" in text


def test_a_proof_shows_its_reason() -> None:
    text = Reader(seriatim.check("request flip { 1 }\n")._repr_html_()).text
    assert "serializable for any number of requests" in text
    assert "No handler yields" in text
