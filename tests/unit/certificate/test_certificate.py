"""Certificates as JSON: what is written is read back, and nothing but the format is read."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import seriatim.certificate
from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, Rounded
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chain_proofs import (
    ONE_PROOF,
    Chain,
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NodeCase,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.counting import CutPlaces, Situation, Situations
from seriatim.certificate.cycle import Conflict, CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.no_fault import Excluded, NoFaultEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.certificate.tree import TreeEvidence
from seriatim.certificate.turns import Turn
from seriatim.folding import Repeated
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.specification import read_specification
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.source import InputError, SourceText

DIGEST = "0123456789abcdef" * 4
SCHEMA = json.loads((files(seriatim.certificate) / "certificate.schema.json").read_text(encoding="utf-8"))

names = st.text(max_size=4)
values = st.dictionaries(names, st.integers(), max_size=3).map(lambda found: tuple(sorted(found.items())))
turns = st.builds(
    Turn, request=st.integers(1, 9), handler=names, after=names | values, response=st.none() | names
)
stops = st.builds(Stop, names, values)
any_turns = st.builds(AnyTurn, names, st.none() | stops, names | values, stops | names)
folded_turns = st.recursive(
    st.lists(any_turns, max_size=3).map(tuple),
    lambda inner: st.lists(
        any_turns | st.builds(Repeated, inner.filter(bool), st.integers(2, 10**9)), max_size=3
    ).map(tuple),
    max_leaves=4,
)
levels = st.sampled_from([1, 2])
invariants = st.lists(st.builds(Invariant, names, st.sampled_from([1, -1])), max_size=2).map(tuple)
alone = st.lists(st.builds(SerialStep, names, names, names | values), max_size=2).map(tuple)
waiting = st.lists(st.builds(Waiting, names, names, values), max_size=2).map(tuple)
cuts = st.builds(
    CutPlaces,
    st.sampled_from(["siphon", "trap"]),
    st.lists(names | values, max_size=2).map(tuple),
    st.lists(st.integers(1, 9), max_size=2).map(tuple),
    waiting,
)
cases = st.builds(Situation, names | values, st.lists(st.none() | st.integers(0, 9), max_size=2).map(tuple))
situations = st.builds(
    Situations, st.sampled_from(["forward", "backward"]), waiting, st.lists(cases, max_size=2).map(tuple)
)
covers = st.builds(
    SerialPath, alone, st.lists(st.builds(SerialCycle, names | values, alone), max_size=2).map(tuple)
)
linear_covers = st.builds(
    CoverEvidence,
    levels,
    invariants,
    st.none() | situations,
    st.lists(cuts, max_size=2).map(tuple),
    st.lists(covers, max_size=2).map(tuple),
)
sums = st.dictionaries(st.integers(1, 12), st.integers(-3, 3), max_size=2).map(
    lambda multiples: tuple(multiples.items())
)
nodes = st.one_of(
    st.builds(ByCover, st.integers(1, 3)),
    st.builds(ByCut, st.integers(1, 3)),
    st.builds(Rounded, sums, st.integers(1, 4)),
    st.builds(Absurd, sums),
)
trees = st.builds(
    TreeEvidence,
    linear_covers,
    st.lists(names | values, max_size=2).map(tuple),
    waiting,
    st.lists(st.tuples(names, names), max_size=2).map(tuple),
    st.lists(nodes, max_size=3).map(tuple),
)
some = st.integers(0, 9)
numbers = st.lists(some, max_size=2).map(tuple)
counts = st.builds(
    Counts,
    numbers,
    st.lists(st.builds(PrefixRow, some, some, st.sampled_from(["entry", "exit"])), max_size=2).map(tuple),
    st.lists(
        st.builds(LevelCut, some, st.sampled_from(["siphon", "trap"]), numbers, numbers), max_size=2
    ).map(tuple),
)
node_cases = st.builds(NodeCase, some, st.lists(st.none() | some, max_size=2).map(tuple))


def longer_proofs(proof: st.SearchStrategy[ChainNode]) -> st.SearchStrategy[ChainNode]:
    return st.one_of(
        st.builds(Counted, counts, st.lists(st.builds(Chain, numbers, proof), max_size=2).map(tuple)),
        st.builds(
            Situated,
            st.sampled_from(["forward", "backward"]),
            st.lists(node_cases, max_size=2).map(tuple),
            proof,
        ),
        st.builds(Layered, counts, some, numbers, st.none() | some, proof),
        st.builds(Fixed, counts, some, numbers, st.lists(numbers, max_size=2).map(tuple), proof),
        st.builds(OutsideCover, some, st.lists(proof, max_size=2).map(tuple)),
    )


no_runs: st.SearchStrategy[ChainNode] = st.just(NoRuns())
chains = st.builds(
    ChainEvidence,
    levels,
    invariants,
    st.lists(names | values, max_size=2).map(tuple),
    waiting,
    st.lists(st.tuples(names, names), max_size=2).map(tuple),
    st.lists(
        st.builds(ListedMove, some, st.none() | some, some, st.none() | some, st.none() | some), max_size=2
    ).map(tuple),
    st.lists(covers, max_size=1).map(tuple),
    st.recursive(no_runs, longer_proofs, max_leaves=4),
)
few_turns = st.lists(turns, max_size=2).map(tuple)
accesses = st.sampled_from(["read", "write"])
conflicts = st.builds(Conflict, st.integers(1, 9), st.integers(1, 9), names, st.tuples(accesses, accesses))
evidence: st.SearchStrategy[Evidence] = st.one_of(
    st.builds(
        RunEvidence,
        st.lists(turns, max_size=4).map(tuple),
        st.lists(st.integers(1, 4), max_size=2).map(tuple),
    ),
    st.builds(FoldedRunEvidence, folded_turns),
    st.just(AtomicEvidence()),
    st.builds(
        CommitEvidence,
        levels,
        invariants,
        st.lists(st.builds(CommittedState, names, names, values, names), max_size=2).map(tuple),
    ),
    linear_covers,
    trees,
    chains,
    st.builds(
        CycleEvidence, st.lists(turns, max_size=2).map(tuple), st.lists(conflicts, max_size=2).map(tuple)
    ),
    st.builds(NoCycleEvidence, levels, invariants),
    st.builds(PointsEvidence, st.lists(turns, max_size=2).map(tuple), st.lists(st.integers(1, 9)).map(tuple)),
    st.builds(
        FaultRunEvidence,
        st.lists(turns, max_size=2).map(tuple),
        st.integers(1, 9),
        names,
        st.builds(Told, names, names),
    ),
    st.builds(
        NoFaultEvidence,
        levels,
        invariants,
        st.lists(st.builds(Excluded, names | values, waiting), max_size=2).map(tuple),
    ),
)
SPECIFICATION = read_specification(SourceText("specification", "spec { init q; q -> q: get/0; }"))
questions: st.SearchStrategy[Property] = st.sampled_from(
    [
        SERIALIZABILITY,
        Serializability("all"),
        Serializability(("X", "Y")),
        ConflictSerializability(),
        StrictSerializability(0),
        StrictSerializability(2),
        Linearizability(SPECIFICATION),
        Linearizability(SPECIFICATION, 2, pending=True),
        StaticLinearizability(SPECIFICATION),
        SAFETY,
    ]
)
answers = questions.flatmap(lambda question: st.tuples(st.sampled_from(question.verdicts), st.just(question)))
certificates = st.builds(
    lambda digest, answer, evidence: Certificate(digest, answer[0], evidence, answer[1]),
    st.text("0123456789abcdef", min_size=64, max_size=64),
    answers,
    evidence,
)
numbers_and_words = st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.sampled_from(["run", "", "x"]))
json_values = st.recursive(
    numbers_and_words, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2)
)

RUN = Certificate(
    DIGEST,
    "not_serializable",
    RunEvidence((Turn(1, "get", (("X", 0), ("Y", -7)), None), Turn(1, "get", "busy", "é"))),
)


def test_the_text_of_a_certificate() -> None:
    """Header first, indented, in ASCII, with a line break at the end."""
    assert write(RUN) == (
        "{\n"
        '  "format": "seriatim-certificate",\n'
        '  "version": 1,\n'
        f'  "input_sha256": "{DIGEST}",\n'
        '  "question": "serializable",\n'
        '  "verdict": "not_serializable",\n'
        '  "kind": "run",\n'
        '  "turns": [\n'
        "    {\n"
        '      "request": 1,\n'
        '      "handler": "get",\n'
        '      "after": {\n'
        '        "X": 0,\n'
        '        "Y": -7\n'
        "      },\n"
        '      "response": null\n'
        "    },\n"
        "    {\n"
        '      "request": 1,\n'
        '      "handler": "get",\n'
        '      "after": "busy",\n'
        '      "response": "\\u00e9"\n'
        "    }\n"
        "  ]\n"
        "}\n"
    )


@given(certificates)
def test_what_is_written_is_read_back_and_follows_the_schema(certificate: Certificate) -> None:
    text = write(certificate)
    assert read_certificate(text) == certificate
    Draft202012Validator(SCHEMA).validate(json.loads(text))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@given(certificates, st.data())
def test_reader_and_schema_agree_on_damaged_certificates(
    certificate: Certificate, data: st.DataObject
) -> None:
    """A value is replaced, or a key removed or added, anywhere: both refuse it or both take it. But a schema
    cannot tell whether a proof is complete, nor whether a text is a specification."""
    document = json.loads(write(certificate))
    damage(document, data)
    is_valid = Draft202012Validator(SCHEMA).is_valid(document)
    refusal = ""
    try:
        read_certificate(json.dumps(document))
    except InputError as error:
        refusal = error.diagnostics[0].message
    beyond_the_schema = ONE_PROOF in refusal or "is no specification" in refusal
    assert is_valid == (refusal == "") or beyond_the_schema


def damage(document: dict[str, object], data: st.DataObject) -> None:
    """Changes one place in a document, at any depth."""
    place: dict[str, object] | list[object] = document
    while True:
        items = place.values() if isinstance(place, dict) else place
        inner = [item for item in items if isinstance(item, dict | list) and item]
        if not inner or data.draw(st.booleans(), "here"):
            break
        place = data.draw(st.sampled_from(inner), "inside")
    value = data.draw(json_values, "value")
    if isinstance(place, list):
        place[data.draw(st.integers(0, len(place) - 1))] = value
    elif data.draw(st.booleans(), "replace"):
        place[data.draw(st.sampled_from(sorted(place)))] = value
    elif data.draw(st.booleans(), "remove"):
        del place[data.draw(st.sampled_from(sorted(place)))]
    else:
        place[data.draw(names, "new key")] = value


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_certificate(text)


def replaced(before: str, after: str) -> str:
    text = write(RUN)
    assert text.count(before) >= 1
    return text.replace(before, after, 1)


REFUSED = {
    "empty": ("", "SER401", "from here on, this is not JSON"),
    "cut off": (write(RUN)[:-4], "SER401", "not JSON"),
    "two values": (write(RUN) * 2, "SER401", "not JSON"),
    "NaN": (replaced('"Y": -7', '"Y": NaN'), "SER401", "`NaN` is not a number"),
    "infinity": (replaced('"Y": -7', '"Y": -Infinity'), "SER401", "`-Infinity` is not a number"),
    "nested lists": ("[" * 100_000, "SER401", "nested too deeply"),
    "nested objects": ('{"a":' * 100_000, "SER401", "nested too deeply"),
    "key twice": (
        replaced('"version": 1', '"version": 1, "version": 1'),
        "SER402",
        "`version` is given twice",
    ),
    "variable twice": (replaced('"Y": -7', '"X": 0'), "SER402", "`X` is given twice"),
    "a list": ("[]", "SER403", "not a certificate"),
    "a number": ("1", "SER403", "not a certificate"),
    "another format": (replaced("seriatim-certificate", "seriatim-result"), "SER403", "not a certificate"),
    "version 2": (
        replaced('"version": 1', '"version": 2'),
        "SER403",
        "`version` of this certificate is not 1",
    ),
    "version true": (replaced('"version": 1', '"version": true'), "SER403", "`version`"),
    "version as text": (replaced('"version": 1', '"version": "1"'), "SER403", "`version`"),
    "no kind": (replaced('  "kind": "run",\n', ""), "SER404", "the certificate lacks the key `kind`"),
    "no turns": (replaced('"turns"', '"steps"'), "SER404", "the certificate lacks the key `turns`"),
    "unknown key": (replaced('"kind"', '"seconds": 1, "kind"'), "SER404", "a key `seconds`"),
    "no response": (
        replaced(',\n      "response": null', ""),
        "SER404",
        "`turns[0]` lacks the key `response`",
    ),
    "unknown key in a turn": (
        replaced('"request"', '"line": 3, "request"'),
        "SER404",
        "`turns[0]` has a key",
    ),
    "another kind": (replaced('"run"', '"walk"'), "SER405", '`kind` is not "run" or "folded-run" or'),
    "another question": (replaced('"question": "serializable"', '"question": 1'), "SER405", "`question`"),
    "another verdict": (replaced("not_serializable", "unknown"), "SER405", "`verdict` is not"),
    "a short digest": (replaced(DIGEST, DIGEST[1:]), "SER405", "`input_sha256` is not 64 digits"),
    "digest in capitals": (replaced(DIGEST, DIGEST.upper()), "SER405", "`input_sha256` is not 64 digits"),
    "a fraction": (replaced('"Y": -7', '"Y": 0.5'), "SER405", "`0.5` is not an integer"),
    "a whole fraction": (replaced('"request": 1', '"request": 1.0'), "SER405", "`1.0` is not an integer"),
    "an exponent": (replaced('"request": 1', '"request": 1e0'), "SER405", "`1e0` is not an integer"),
    "many digits": (replaced("-7", "7" * 10_000), "SER405", "too many digits"),
    "request 0": (
        replaced('"request": 1', '"request": 0'),
        "SER405",
        "`turns[0].request` is not an integer from",
    ),
    "request -1": (replaced('"request": 1', '"request": -1'), "SER405", "`turns[0].request`"),
    "request true": (replaced('"request": 1', '"request": true'), "SER405", "`turns[0].request`"),
    "value true": (replaced('"Y": -7', '"Y": true'), "SER405", "`turns[0].after` is not"),
    "value as text": (replaced('"Y": -7', '"Y": "-7"'), "SER405", "`turns[0].after` is not"),
    "global state as number": (replaced('"busy"', "3"), "SER405", "`turns[1].after` is not"),
    "handler as number": (
        replaced('"handler": "get"', '"handler": 1'),
        "SER405",
        "`turns[0].handler` is not a string",
    ),
    "response as number": (replaced('"response": null', '"response": 0'), "SER405", "`turns[0].response`"),
    "turns as object": (write(RUN).split('"turns"')[0] + '"turns": {}}', "SER405", "`turns` is not a list"),
    "turn as list": (
        write(RUN).split('"turns"')[0] + '"turns": [[]]}',
        "SER405",
        "`turns[0]` is not an object",
    ),
}

FOLDED_RUN = write(
    Certificate(
        DIGEST, "not_serializable", FoldedRunEvidence((Repeated((AnyTurn("get", None, "busy", "é"),), 7),))
    )
)
REFUSED |= {
    "repeated once": (FOLDED_RUN.replace("7", "1"), "SER405", "`turns[0].times` is not an integer from 2 on"),
    "repeated, and what not": (
        FOLDED_RUN.replace('"turns": [\n        {', '"lines": [\n        {'),
        "SER404",
        "`turns[0]` lacks the key `turns`",
    ),
    "nothing repeated for ever": (
        FOLDED_RUN.split('"turns"')[0] + f'"turns": [{{"times": {10**18}, "turns": []}}]}}',
        "SER405",
        "`turns[0].turns` is not a list with at least one turn",
    ),
    "start as text": (
        FOLDED_RUN.replace('"start": null', '"start": "é"'),
        "SER405",
        "`turns[0].turns[0].start` is not an object",
    ),
    "end null": (
        FOLDED_RUN.replace('"\\u00e9"', "null"),
        "SER405",
        "`turns[0].turns[0].end` is not an object",
    ),
    "repeated too deeply": (
        FOLDED_RUN.split('"turns"')[0] + '"turns": [' + '{"times": 2, "turns": [' * 60 + "]}" * 60 + "]}",
        "SER405",
        "nested less than 60 deep",
    ),
}


@pytest.mark.parametrize(("text", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_departs_from_the_format_is_refused(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_certificate(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code
    assert message in diagnostic.message


WRONG_PROOFS: dict[str, list[dict[str, object]]] = {
    "nothing": [],
    "two proofs": [{"step": "no-runs"}, {"step": "no-runs"}],
    "a part less": [{"step": "outside-cover", "cover": 0, "parts": 2}, {"step": "no-runs"}],
    "a part more": [
        {"step": "outside-cover", "cover": 0, "parts": 1},
        {"step": "no-runs"},
        {"step": "no-runs"},
    ],
    "parts without end": [{"step": "outside-cover", "cover": 0, "parts": 10**18}, {"step": "no-runs"}],
    "a chain without a proof": [
        {"step": "counted", "levels": [], "rows": [], "cuts": [], "chains": [[0], [1]]},
        {"step": "no-runs"},
    ],
    "a layering without a proof": [
        {"step": "layered", "levels": [], "rows": [], "cuts": [], "level": 0, "edges": [], "times": None}
    ],
}


@pytest.mark.parametrize("steps", WRONG_PROOFS.values(), ids=WRONG_PROOFS.keys())
def test_the_steps_of_chains_are_those_of_one_proof(steps: list[dict[str, object]]) -> None:
    evidence = ChainEvidence(1, (), (), (), (), (), (), NoRuns())
    document = json.loads(write(Certificate(DIGEST, "serializable", evidence)))
    document["proof"] = steps
    with pytest.raises(InputError, match="`proof` is not a list of the steps of one proof"):
        read_certificate(json.dumps(document))


def test_a_proof_may_be_as_long_as_it_likes() -> None:
    """Neither the writer nor the reader goes deeper for longer proofs."""
    proof: ChainNode = NoRuns()
    for _ in range(10_000):
        proof = Situated("forward", (), proof)
    text = write(Certificate(DIGEST, "serializable", ChainEvidence(1, (), (), (), (), (), (), proof)))
    assert write(read_certificate(text)) == text


@pytest.mark.parametrize("before", ['"level": 1', '"sign": 1'])
def test_true_is_no_number(before: str) -> None:
    """Python takes True for 1; the reader does not."""
    by_commits = CommitEvidence(1, (Invariant("X", 1),), ())
    text = write(Certificate(DIGEST, "serializable", by_commits))
    with pytest.raises(InputError):
        read_certificate(text.replace(before, before.replace("1", "true")))


def test_a_syntax_error_has_its_place() -> None:
    with pytest.raises(InputError) as raised:
        read_certificate('{\n  "format": ,\n}')
    span = raised.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (2, 13)
