"""`Range` is a scope for annotations; `test_marks.py` has what `ser check` makes of it."""

from typing import Annotated, get_type_hints

from seriatim.scopes import Range


def test_a_range_does_nothing_at_run_time() -> None:
    def f(n: Annotated[int, Range(0, 3)]) -> int:
        return n

    assert repr(get_type_hints(f, include_extras=True)["n"].__metadata__[0]) == "Range(0, 3)"
