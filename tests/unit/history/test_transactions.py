"""Isolation levels of small logs: anomalies by their names, and the rules that decide about them."""

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.transactions import Anomaly, Level
from seriatim.checking.history.transactions import TransactionLog
from seriatim.history.reading import Format
from seriatim.history.transactions.decide import Decided, NotApplicable, decide_levels
from seriatim.history.transactions.names import find_level
from seriatim.history.transactions.reading import read_transactions
from seriatim.source import InputError
from testkit.inputs.transaction_texts import log_of

RU, RC, RA, CAUSAL = Level.READ_UNCOMMITTED, Level.READ_COMMITTED, Level.READ_ATOMIC, Level.CAUSAL
CV, PSI, PREFIX = Level.CONSISTENT_VIEW, Level.PARALLEL_SNAPSHOT, Level.PREFIX
SI, SER, STRICT = Level.SNAPSHOT, Level.SERIALIZABLE, Level.STRICT_SERIALIZABLE
SESSION_SI, STRONG_SI = Level.SESSION_SNAPSHOT, Level.STRONG_SNAPSHOT
SESSION_SER = Level.SESSION_SERIALIZABLE
CS, MAV = Level.CURSOR_STABILITY, Level.MONOTONIC_ATOMIC_VIEW

LISTS: list[tuple[str, list[str], list[Level], list[Level]]] = [
    ("G0", ["ax1 ay1", "ax2 ay2", "rx12 ry21"], [], [RU]),
    ("G1a", ["!ax1", "rx1"], [RU], [RC]),
    ("G1b", ["ax1 ax2", "rx1"], [RU], [RC]),
    ("G1c", ["ax1 ry1", "ax2 ay1", "rx12 ry1"], [RU], [RC]),
    ("G-single", ["ax1 ay1", "ax2 ry", "rx12"], [RC, RA, CAUSAL], [CV, PSI, SI, SER]),
    ("write skew", ["ax1 ry", "ay1 rx"], [SI, PSI, PREFIX], [SER]),
    ("long fork", ["ax1", "ay1", "rx1 ry", "rx ry1"], [PSI, CV], [PREFIX, SI, SER]),
    ("lost update", ["ax0", "rx0 ax1", "rx0 ax2", "rx012"], [PREFIX, CAUSAL], [CS, CV, PSI, SI, SER]),
    ("an old version first", ["ax1 ay1", "rx ry1"], [MAV, CS], [RA]),
    ("an old version after a new one", ["ax1 ay1", "ry1 rx"], [CS], [MAV, RA]),
    ("fractured read", ["ax1 ay1", "rx1 ry"], [RC], [RA, CAUSAL, SER]),
    ("dirty update", ["!ax1", "ax2", "rx12"], [RU], [RC]),
    ("internal", ["ax1 ax2 ax4", "ax3 rx1234"], [], [RA]),
    ("future read", ["rx1 ax1"], [], [RC]),
    ("unobserved write", ["ax1 ay1", "ax2 ay2", "ax3 ay3", "rx12", "ry2"], [], [RU]),
    ("appends of one transaction apart", ["ax1 ax2", "ax5", "rx15"], [RU], [RC]),
    ("first appends of one, at the end", ["ax1 ax2", "rx1"], [RU], [RC]),
    ("an element that nobody wrote, where INT fails", ["ax2 ax3 rx93"], [], [RU]),
    ("an outcome that is not known, at RU", ["?ax1 ay1", "ax2 ay2", "rx12 ry21"], [RU], [RC]),
    ("one that is not known, and was seen", ["?ax1", "rx1"], [STRICT], []),
    ("one that is not known, and was not seen", ["?ax1", "rx"], [STRICT], []),
    ("empty lists", ["rx ax1", "rx1"], [STRICT], []),
    ("lists that do not fit", ["ax1", "ax2", "rx1", "rx2"], [], [RC]),
    ("two writes of one", ["rx ax1 ax2", "rx12"], [STRICT], []),
]

TIMED: list[tuple[str, list[str], list[Level], list[Level]]] = [
    ("strong SI", ["p:ax1", "q:ax2", "r:rx1", "s:rx12"], [SESSION_SER], [STRONG_SI, STRICT]),
    ("session SI", ["p:ax1", "q:ax2", "q:rx1", "r:rx12"], [SER], [SESSION_SI]),
    ("no session leaves what is not known", ["?p:ax1", "p:rx", "q:rx1"], [STRICT], []),
]

REGISTERS: list[tuple[str, list[str], list[Level], list[Level]]] = [
    ("garbage", ["wx1", "rx2"], [], [RU]),
    ("G1a", ["!wx1", "rx1"], [RU], [RC]),
    ("G1b", ["wx1 wx2", "rx1"], [RU], [RC]),
    ("G1c", ["wx1 ry1", "wy1 rx1"], [RU], [RC]),
    ("write skew", ["rx ry wx1", "rx ry wy2"], [SI], [SER]),
    ("lost update", ["wx0", "rx0 wx1", "rx0 wx2"], [PREFIX], [CV, SI, SER]),
    ("read committed allows fractured reads", ["wx1 wy1", "rx1 ry"], [RC], [RA]),
    ("internal", ["wx1", "wx2", "rx1 rx2"], [RC], [RA]),
    ("an own value that was overwritten", ["wx1 wx2 rx1"], [RC], [RA]),
    ("two values of a key, and then its own", ["rx rx3 wx1", "wx2 wx3"], [RC, MAV], [CS, RA]),
    ("the same old version again, after a new one", ["wx1 wy1", "rx ry1 rx"], [RC, CS], [MAV, RA]),
    ("the other one wrote in between", ["wx1", "rx1 wx2", "wx3", "rx2", "rx3"], [CS, SER], []),
    ("an order that nobody saw", ["wx1", "wx2", "rx1"], [SESSION_SER], [STRICT]),
    ("either order of writers fails", ["wx1 wy1", "wx2 wy2", "rx1 ry2"], [RC], [SER]),
]


def verdict_on(log: TransactionLog, level: Level) -> bool:
    (verdict,) = decide_levels(log, [level], Deadline(60)).values()
    assert isinstance(verdict, Decided), verdict
    return verdict.holds


CASES = [(True, *case) for case in [*LISTS, *TIMED]] + [(False, *case) for case in REGISTERS]


@pytest.mark.parametrize(("lists", "name", "texts", "hold", "fail"), CASES, ids=[case[1] for case in CASES])
def test_anomalies_rule_out_their_levels(
    lists: bool, name: str, texts: list[str], hold: list[Level], fail: list[Level]
) -> None:
    log = log_of(*texts, lists=lists)
    assert {level: verdict_on(log, level) for level in hold} == dict.fromkeys(hold, True), name
    assert {level: verdict_on(log, level) for level in fail} == dict.fromkeys(fail, False), name


def test_levels_about_times_do_not_apply_without_them() -> None:
    log = log_of("ax1", "rx1", timed=False)
    verdicts = decide_levels(log, list(Level), Deadline(60))
    assert isinstance(verdicts[STRICT], NotApplicable)
    assert isinstance(verdicts[STRONG_SI], NotApplicable)
    assert isinstance(verdicts[SESSION_SER], Decided)


@pytest.mark.parametrize(
    ("name", "level"),
    [("PL-2", RC), ("snapshot isolation", SI), ("G2", SER), ("strong_session_serializable", SESSION_SER)],
)
def test_levels_have_other_names(name: str, level: Level) -> None:
    assert find_level(name) is level


def test_levels_that_do_not_exist_are_refused() -> None:
    with pytest.raises(InputError, match="no isolation level"):
        find_level("chaos")


# --- reading ------------------------------------------------------------------------------------------------


def read(text: str, form: Format = Format.EDN) -> TransactionLog:
    return read_transactions(text.splitlines(keepends=True), form, Deadline())


EDN = """{:type :invoke, :f :txn, :value [[:append 1 2] [:r :x nil]], :process 0, :index 0}
{:type :info, :f :start, :process :nemesis, :value nil}
{:type :ok, :f :txn, :value [[:append 1 2] [:r :x [5 6]]], :process 0, :index 1}
{:type :invoke, :f :txn, :value [[:append 1 3]], :process 1}
"""


@pytest.mark.parametrize("text", [EDN, f"[{EDN}]", EDN.replace(":index 1", ':error "a b"')])
def test_histories_are_read_by_lines_and_by_forms(text: str) -> None:
    log = read(text)
    assert log.has_lists
    assert log.is_timed
    assert [(t.line, t.process, t.status) for t in log.transactions] == [(3, "0", "ok"), (4, "1", "info")]
    assert log.transactions[0].operations == (("append", 1, 2), ("r", ":x", (5, 6)))
    assert log.transactions[1].operations == (("append", 1, 3),)


def test_json_lines_say_the_same() -> None:
    text = '{"type": "ok", "process": 1, "value": [["append", "x", 1], ["r", "y", [2]]]}'
    log = read(text, Format.JSON_LINES)
    assert not log.is_timed
    assert log.transactions[0].operations == (("append", '"x"', 1), ("r", '"y"', (2,)))
    array = f"[{text},\n{text.replace('1]', '3]')}]"
    assert len(read(array, Format.JSON_LINES).transactions) == 2


def test_values_keep_their_types() -> None:
    text = '{:type :ok :process 0 :value [[:w :k 1] [:w "k" true] [:r k 1.0]]}'
    kinds = [(key, value) for _, key, value in read(text).transactions[0].operations]
    assert kinds == [(":k", 1), ('"k"', "true"), ("k", "1.0")]


@pytest.mark.parametrize(
    "line",
    [
        "{:type :ok, :value [[:w :type :ok] [:w :process 3] [:r :value nil]], :process 0}",
        "{:value [[:w :vanilla 1] [:r :nil 2] [:r :null nil]], :type :ok, :process 0}",
        "{:process 0, :sub-type :fail, :type :ok, :previous-value [1], :value [[:append :x-1 :type]]}",
        "#jepsen.history.Op{:process -1 :type :ok :value [[:r 1 [1, 2 , -3]] [:r 2 []] [:r [1 2] nil]]}",
        "{:type :info, :value :timeout, :process 0}",
        "{:type :ok, :process :worker-1, :value [[:w 1 :a'b]]}",
        "{:type :ok, :process :nemesis, :value [[:w 1 2]]}",
        "{:type :ok, :process 0, :value [[:w 1 0.50M] [:w 2 1/2] [:w 3 true]], :time 1.5}",
    ],
)
def test_lines_are_read_quickly_as_in_full(line: str) -> None:
    """A comment in front turns the quick reader off."""
    invoked = "{:type :invoke :process 0 :value [[:w 1 7]]}\n" if ":timeout" in line else ""
    other = "\n{:type :invoke :process 99 :value [[:r 98 nil]]}\n"
    quick, full = read(invoked + line + other), read(";" + invoked + "\n" + invoked + line + other)
    assert [(t.process, t.status, t.operations) for t in quick.transactions] == [
        (t.process, t.status, t.operations) for t in full.transactions
    ]
    assert ("nemesis" in line) == (len(quick.transactions) == 1)


def test_a_key_that_occurs_twice_in_an_event_is_refused() -> None:
    for text in (
        "{:type :ok :process 0 :value [[:w 1 1]] :type :fail}",
        '{:type :ok :process 0 :value [[:w 1 1]] :note "x" :type :fail}',
    ):
        with pytest.raises(InputError) as caught:
            read(text)
        assert "a key twice" in caught.value.diagnostics[0].message


def test_a_transaction_that_never_ended_is_read_in_full() -> None:
    (only,) = read("{:type :invoke :process 0 :value [[:append 1 foo]]}").transactions
    assert (only.status, only.operations) == ("info", (("append", 1, "foo"),))


def test_nil_is_an_empty_list_and_reads_alone_tell_that_there_are_lists() -> None:
    log = read("{:type :ok :process 0 :value [[:r 1 nil] [:r 2 []]]}")
    assert log.has_lists
    assert log.transactions[0].operations == (("r", 1, ()), ("r", 2, ()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no transactions"),
        ("{:type :invoke :process 0 :value [[:r 1 nil]]}\n" * 2, "begins again"),
        (EDN + "{:type :ok :process 9 :value [[:r 1 nil]]}", "never began"),
        ("{:type :ok :process 0 :value [[:x 1 2]]}", "not an operation"),
        ("{:type :ok :process 0 :value [[:append 1 nil]]}", "not a value"),
        ("{:type :ok :process 0 :value [[:append 1 2] [:w 1 3]]}", "others about registers"),
        ("{:type :ok :process 0 :value 5}", "not a list of operations"),
        ("{:type :odd :process 0 :value [[:r 1 nil]]}", "not an event"),
        ("{:type :ok", "not EDN"),
        ("5", "not an event"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(text)


def test_a_value_that_is_written_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(InputError, match="1 is written to x here and in line 2"):
        decide_levels(log_of("ax1", "ax1"), [SER], Deadline())


def test_an_anomaly_names_its_reader() -> None:
    log = log_of("ax1 ax2", "rx1")
    verdict = decide_levels(log, [RC], Deadline())[RC]
    assert isinstance(verdict, Decided)
    assert verdict.certificate.evidence == Anomaly("G1b", (1,), "x")
