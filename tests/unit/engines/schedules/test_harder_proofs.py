"""The schedule after commit points: long closures do not keep searches waiting."""

from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.frontends.all import read_input
from seriatim.result import Violated
from seriatim.source import SourceText

SHOP = """
STOCK[3] := 2

request buy(item in 0..2):
    await STOCK[item] > 0
    STOCK[item] := STOCK[item] - 1
    yield
    lock(TILL)
    cash := CASH
    yield
    CASH := cash + 1
    unlock(TILL)
    return STOCK[item]

request refund(item in 0..2):
    lock(TILL)
    if CASH == 0:
        unlock(TILL)
        return -1
    cash := CASH
    yield
    CASH := cash - 1
    unlock(TILL)
    STOCK[item] := STOCK[item] + 1
    return CASH

request audit:
    return CASH
"""
"""Two buyers of one item both answer that nothing is left. The program has a symmetry, and its stock grows
without bound, so that no closure ends."""


def test_a_search_finds_a_short_violation_before_an_endless_closure() -> None:
    source = SourceText("shop.ser", SHOP)
    result, work = work_out(read_input(source), Options(wants=THE_ANSWER_ALONE))
    assert isinstance(result.answer, Violated)
    assert result.answer.run.requests == 2
    assert work.counts.searched <= 30_000
    assert work.counts.closed <= 20_000
