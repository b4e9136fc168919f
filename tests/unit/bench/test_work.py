"""No family takes a fifth more work than recorded, whatever the machine."""

import pytest

from families import FAMILIES
from testkit.samples import IS_DEEP, deep_cases, sampled, slowest_cases
from work import COUNTED, HOW_TO_ACCEPT, RECORDED, SIZES, counts, grown, main, read, table

QUICK = [name for name in SIZES if name not in ("locks_broken", "transfers_broken", "transfers_written")]


@deep_cases("key_value_broken", "transfers")
@slowest_cases("locks_broken")
@pytest.mark.parametrize("name", SIZES if IS_DEEP else sampled(QUICK, 4))
def test_no_count_has_grown_by_more_than_a_fifth(name: str) -> None:
    assert list(grown(name, counts(name), read(RECORDED))) == []


def test_each_family_is_counted_and_recorded() -> None:
    assert SIZES.keys() == FAMILIES.keys() == read(RECORDED).keys()


def test_what_has_grown_is_named_with_what_to_do() -> None:
    before = dict.fromkeys(COUNTED, 1_000)
    within = {**before, "searched": 1_250}
    beyond = {**before, "searched": 1_251}
    assert list(grown("bank", within, {"bank": before})) == []
    assert list(grown("bank", beyond, {"bank": before})) == [
        f"bank {SIZES['bank']}: 1,251 states searched, 1,000 are recorded; {HOW_TO_ACCEPT}"
    ]
    assert list(grown("bank", before, {})) == [f"bank: no work is recorded; {HOW_TO_ACCEPT}"]


def test_what_is_accepted_is_what_is_compared(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("work") / "work.tsv"
    monkeypatch.setattr("work.RECORDED", path)
    monkeypatch.setattr("work.SIZES", {"locks": 2, "flips_broken": 3})
    assert main(["--accept"]) == 0
    assert main([]) == 0
    path.write_text(table({name: dict.fromkeys(COUNTED, 0) for name in ("locks", "flips_broken")}), "utf-8")
    monkeypatch.setattr("work.SLACK", 0)
    assert main([]) == 1
    assert "flips_broken 3: " in capsys.readouterr().out
