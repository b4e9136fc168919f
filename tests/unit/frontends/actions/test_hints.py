"""What is often written wrongly gets a hint that says how it is written."""

import pytest

from seriatim.source import InputError
from testkit.inputs.action_programs import parse_text

HEAD = "b: bag(int, int)\naction main():\n"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("# a comment\n" + HEAD + "    skip\n", "comments begin with `//`"),
        (HEAD + "    skip # nothing\n", "comments begin with `//`"),
        (HEAD + "    send(b, 1, 2)\n", "send(box, (1, yes))"),
        (HEAD + "    index := 3\n", "keyword"),
    ],
)
def test_a_hint_says_how_it_is_written(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_text(text)
    assert hint in (caught.value.diagnostics[0].hint or "")
