"""`Range` is a scope for annotations."""

from typing import Annotated, get_type_hints

from seriatim.frontends.python.frontend import translate
from seriatim.scopes import Range
from seriatim.source import SourceText


def test_a_range_is_read_from_the_text() -> None:
    text = (
        "from typing import Annotated\nfrom seriatim.scopes import Range\n"
        "class S:\n    def __init__(self):\n"
        "        self.n: Annotated[int, Range(0, 2)] = 0\n"
        "    async def f(self, by: Annotated[int, Range(1, 2)]):\n"
        "        self.n = (self.n + by) % 3\n        return self.n\n"
    )
    translation = translate(SourceText("service.py", text))
    assert translation.content.requests == ("f(1)", "f(2)")
    assert [each.sentence for each in translation.approximations] == [
        "self.n stays in 0..2; leaving it is a fault",
        "`f` is called with by in 1..2 alone",
    ]


def test_a_range_does_nothing_at_run_time() -> None:
    def f(n: Annotated[int, Range(0, 3)]) -> int:
        return n

    assert repr(get_type_hints(f, include_extras=True)["n"].__metadata__[0]) == "Range(0, 3)"
