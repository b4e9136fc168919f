"""The help of `ser check` shows its options in groups."""

from collections import Counter

from click.testing import CliRunner

from seriatim.cli.check import GROUPS, command


def test_every_option_of_check_has_one_heading() -> None:
    grouped = Counter(name for names in GROUPS.values() for name in names)
    options = {
        max(each.opts, key=len).lstrip("-") for each in command.params if each.param_type_name == "option"
    }
    assert set(grouped) == options | {"help"}
    assert set(grouped.values()) == {1}


def test_ten_options_that_people_need_most_come_first() -> None:
    shown = CliRunner().invoke(command, ["--help"]).output
    headings = [line.removesuffix(":") for line in shown.splitlines() if line and not line.startswith(" ")]
    assert [each for each in headings if each in GROUPS] == list(GROUPS)
    assert len(GROUPS["Needed most"]) == 10
    assert "Other options" not in shown
