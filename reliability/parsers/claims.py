"""What holds of each parser, whatever bytes it is given.

Each claim reads a text as the command line would, and raises unless one of two things happens: the text is
refused, with diagnostics that can be shown; or it is read, and what is written of it reads back as the same.
Nothing in here needs a fuzzer: the tests hold the claims against the corpus.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from parsers.trees import net_tree, query_tree
from seriatim.bench.reference import read_reference
from seriatim.certificate.certificate import write as write_certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.diagnostic_text import render
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate as read_certificate
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.formatting import format_text
from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.specification import read_specification
from seriatim.frontends.ser.warnings import warnings
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.pnml import read_pnml, write_pnml
from seriatim.petri.queries import Query, holds
from seriatim.petri.query_xml import read_queries, write_queries
from seriatim.petri.tina import read_tina, write_tina
from seriatim.program.expression_printer import Style
from seriatim.program.inputs import Input, digest
from seriatim.program.printer import print_program
from seriatim.program.specification import SpecificationAutomaton
from seriatim.program.system_printer import write_system
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.source import Diagnostic, InputError, SourceText


def program_claim(text: str) -> None:
    """Programs: printed they are the same, in both styles; what is odd about them can be told."""
    program = parse(text)
    for warning in warnings(parse_surface(text)):
        render(warning, SourceText("input", text))
    for style in Style:
        assert digest(parse(print_program(program, style))) == digest(program)


def format_claim(text: str) -> None:
    """Programs: formatted they mean the same, and formatting again changes nothing."""
    for style in Style:
        formatted = format_text(text, style)
        assert format_text(formatted, style) == formatted
        assert digest(parse(formatted)) == digest(parse(text))


def specification_claim(text: str) -> None:
    """Specifications: all that is odd about them can be told, and each step leads from a state to a state."""
    specification = read_specification(SourceText("input", text))
    if isinstance(specification.meaning, SpecificationAutomaton):
        for warning in specification.meaning.warnings:
            render(warning, specification.source)
        states = specification.meaning.states()
        assert all({step.source, step.target} <= {*states} for step in specification.meaning.steps)


def system_claim(text: str) -> None:
    """Network systems as JSON: what no entry names is not in the text either."""
    system = read_system(text)
    assert read_system(write_system(system)) == system


def certificate_claim(text: str) -> None:
    """Certificates: read they are the same, and the checker ends; it accepts none that is wrong."""
    certificate = read_certificate(text)
    assert read_certificate(write_certificate(certificate)) == certificate
    for content, verdict in KNOWN:
        # Whoever forges a certificate knows how to compute a digest.
        forged = replace(certificate, digest=digest(content))
        try:
            report = verify(forged, content, Context(Allowance(MOST_STATES), chosen=()))
        except GaveUp:
            continue
        is_about_this = certificate.question == SERIALIZABILITY
        assert not (report.accepted and is_about_this) or certificate.verdict == verdict


def tina_claim(text: str) -> None:
    net = read_tina(text)
    assert read_tina(write_tina(net)) == net


def pnml_claim(text: str) -> None:
    """Nets in PNML: what is written is the same net, though odd ids have become plain ones."""
    net = read_pnml(text)
    again = read_pnml(write_pnml(net))
    assert (len(again.places), again.initial) == (len(net.places), net.initial)
    assert [(t.pre, t.post) for t in again.transitions] == [(t.pre, t.post) for t in net.transitions]


def query_claim(text: str) -> None:
    """Queries: what is written holds in the same markings."""
    queries = [query for query in read_queries(text, NET) if isinstance(query, Query)]
    if not queries:
        return
    again = read_queries(write_queries(queries, NET), NET)
    for query, other in zip(queries, again, strict=True):
        assert isinstance(other, Query)
        assert query.quantifier is other.quantifier
        for marking in MARKINGS:
            assert holds(query.predicate, marking) == holds(other.predicate, marking)


def reference_claim(text: str) -> None:
    """Tables and earlier results: times are numbers."""
    reference = read_reference(SourceText("input", text))
    for entry in reference.entries:
        assert entry.seconds is None or 0 <= entry.seconds < float("inf")


def decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about the texts of a format."""

    format: str
    """The name of the folder with its corpus."""
    holds: Callable[[str], None]
    """Raises if it does not hold of a text, and `InputError` if that is refused."""
    text: Callable[[bytes], str] = decoded
    """The text that bytes stand for."""


CLAIMS = {
    "program": Claim("program", program_claim),
    "format": Claim("program", format_claim),
    "specification": Claim("specification", specification_claim),
    "system": Claim("system", system_claim),
    "certificate": Claim("certificate", certificate_claim),
    "tina": Claim("tina", tina_claim),
    "pnml": Claim("pnml", pnml_claim),
    "query": Claim("query", query_claim),
    "pnmltree": Claim("pnml", pnml_claim, net_tree),
    "querytree": Claim("query", query_claim, query_tree),
    "reference": Claim("reference", reference_claim),
}


def hold(claim: Claim, data: bytes) -> None:
    """Raises if the claim does not hold of these bytes; a text that is refused has diagnostics to show."""
    text = claim.text(data)
    complaints: tuple[Diagnostic, ...] | None = None
    try:
        claim.holds(text)
    except InputError as refused:
        complaints = refused.diagnostics
    assert complaints is None or complaints, "refused without a reason"
    for complaint in complaints or ():
        render(complaint, SourceText("input", text)).encode("utf-8")


# What queries and certificates are about

NET = PetriNet(
    ("P1", "P2", "g0"),
    (Transition("t1", (), (0,)), Transition("t2", (0, 0), (1,)), Transition("final", (1, 2), (2,))),
    (1, 0, 1),
)
MARKINGS = ((0, 0, 0), (1, 0, 1), (2, 1, 0), (5, 3, 1))

RACE = "request flip { x := N; yield; N := 1 - x; x }"
LOCK = "request flip { while (L == 1) { yield }; L := 1; yield; N := 1 - N; yield; L := 0; N }"
RELAY = json.dumps(
    {
        "initial_global": "g",
        "requests": [["r", "a"]],
        "responses": [["c", "1"], ["d", "2"]],
        "transitions": [
            ["a", "g", "b", "g"],
            ["b", "g", "c", "h"],
            ["b", "h", "c", "h"],
            ["a", "h", "d", "h"],
        ],
    }
)


def _known(name: str, text: str, verdict: str) -> tuple[Input, str]:
    return read_input(SourceText(name, text)), verdict


KNOWN = (
    _known("race.ser", RACE, "not_serializable"),
    _known("lock.ser", LOCK, "serializable"),
    _known("relay.json", RELAY, "not_serializable"),
)
MOST_STATES = 500
