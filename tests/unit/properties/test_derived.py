"""What a question adds to states is written as everything else is."""

from seriatim.properties.derived import INTERVAL, marked_values


def test_marked_values_are_sorted_by_name() -> None:
    """As they are once they are read, so that a certificate is what is read of it; some locals of a
    translation are sorted before a bracket."""
    assert marked_values((("#result", 0), ("x", 1)), INTERVAL, 2) == (
        ("#result", 0),
        ("(interval)", 2),
        ("x", 1),
    )
