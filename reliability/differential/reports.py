"""Whatever comes out can be told: texts, JSON that follows its schema, runs as pictures and traces, and
reports for others."""

import json
from collections.abc import Iterator
from importlib.resources import files
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from differential.contradiction import Contradiction
from differential.facts import Facts
from seriatim import __version__
from seriatim.engines.stage import Method
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.explanation import explanation_text
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.report.itf import itf
from seriatim.report.junit import case_of, junit
from seriatim.report.look import Look
from seriatim.report.outcome import Decided
from seriatim.report.sarif import findings, sarif
from seriatim.report.sequence import sequence_mermaid, sequence_svg
from seriatim.report.sequence_dot import sequence_dot
from seriatim.report.verdict_json import decision_json
from seriatim.report.verdict_text import verdict_text
from seriatim.report.why import shown_run
from seriatim.verdict import Violated

SCHEMA = json.loads((files("seriatim.report") / "result.schema.json").read_text("utf-8"))


def reports(facts: Facts) -> Iterator[Contradiction]:
    for method in (Method.AUTO, Method.PAPER):
        yield from told(facts, method)


def told(facts: Facts, method: Method, question: Property = SERIALIZABILITY) -> Iterator[Contradiction]:
    """Each report is made, and read again where a machine reads it; an exception is a finding."""
    source = facts.subject.source
    decision = facts.decision(method, question)
    as_json = json.loads(json.dumps(decision_json(decision, source)))
    for error in Draft202012Validator(SCHEMA).iter_errors(as_json):
        yield Contradiction("JSON does not follow its schema", error.message)
    outcome = Decided(source, facts.content, decision)
    verdict_text(decision, source, Look())
    explanation_text(decision, source, facts.options(method, question), Look())
    page([section(outcome)], __version__)
    json.loads(sarif([findings(outcome)], __version__))
    ElementTree.fromstring(junit([case_of(outcome)]))
    if isinstance(decision.verdict, Violated):
        shown = shown_run(decision.verdict, decision, source)
        json.loads(itf(shown, source.name))
        ElementTree.fromstring(sequence_svg(shown, source.name))
        sequence_mermaid(shown)
        sequence_dot(shown)
