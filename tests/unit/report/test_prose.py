"""Texts as HTML: lists nest as in the text, code stands between no backticks, everything is escaped."""

from seriatim.report.html.prose import prose


def test_items_stand_below_those_that_are_indented_less() -> None:
    text = (
        "Suppose so:\n- If `a<b` is first:\n  - `c` cannot.\n  - `d` cannot.\n- Or not.\nA contradiction.\n"
    )
    assert prose(text) == (
        '<div class="prose"><p>Suppose so:</p>'
        "<ul><li>If <code>a&lt;b</code> is first:"
        "<ul><li><code>c</code> cannot.</li><li><code>d</code> cannot.</li></ul></li>"
        "<li>Or not.</li></ul><p>A contradiction.</p></div>"
    )


def test_a_single_backtick_stays() -> None:
    assert prose("a ` b") == '<div class="prose"><p>a ` b</p></div>'
