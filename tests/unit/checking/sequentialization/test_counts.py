"""False claims about how many instances are pending, and about sums; all of them are refused."""

from testkit.inputs.action_programs import open_conditions


def test_how_often_an_instance_is_started_may_depend_on_its_arguments() -> None:
    """The inner loop starts work(i) i times, not equally often for all i."""
    text = "param N >= 2\nx: int := 0\naction main():\n    for i in 1..N:\n        for j in 1..i:\n"
    text += "            async work(i)\naction work(i):\n    x := x + 1\nsequential:\n    order work\n"
    assert "I1" in open_conditions(
        text + "    when work(k) next: x > 0 or pending(work(1)) == pending(work(2))\n"
    )
    counted = "all i in 1..N: x > 0 or pending(work(i)) == i"
    assert "I1" not in open_conditions(text + f"    when work(k) next: {counted}\n")


def test_a_size_in_a_sum_is_not_the_cell_that_is_summed() -> None:
    text = "param cell >= 1\na[1..2]: int := 0\naction main():\n    a[1] := 7\n"
    text += "    assert sum(a[j] + {} for j in 1..2) == sum(a[j] + a[j] for j in 1..2)\n    async work()\n"
    text += "action work():\n    skip\nsequential:\n    order work\n"
    assert open_conditions(text.format("cell")) == {"I1"}
    assert not open_conditions(text.format("a[j]"))
