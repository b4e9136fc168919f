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
from seriatim.elaborate import elaborate
from seriatim.explain.explanation import Detail
from seriatim.method import Method
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.explanation_text import explanation_text
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.report.itf import itf
from seriatim.report.junit import junit
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.report.sarif import sarif
from seriatim.report.sequence import sequence_mermaid, sequence_svg
from seriatim.report.sequence_dot import sequence_dot
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Violated

SCHEMA = json.loads((files("seriatim.report") / "result.schema.json").read_text("utf-8"))


def reports(facts: Facts) -> Iterator[Contradiction]:
    for method in (Method.AUTO, Method.PAPER):
        yield from told(facts, method)


def told(facts: Facts, method: Method, question: Property = SERIALIZABILITY) -> Iterator[Contradiction]:
    """Each report is made, and read again where a machine reads it; an exception is a finding."""
    result = facts.decision(method, question)
    options = facts.options(method, question)
    text = json.dumps(result_json(result))
    for error in Draft202012Validator(SCHEMA).iter_errors(json.loads(text)):
        yield Contradiction("JSON does not follow its schema", error.message)
    if result_from_json(text) != result:
        yield Contradiction("JSON reads back as another result", text)
    verdict_text(result, TextLook())
    explanation = elaborate(facts.content, result, frozenset(Detail), options)
    explanation_text(explanation, TextLook())
    page([section(result, explanation)], __version__)
    json.loads(sarif([result], __version__))
    ElementTree.fromstring(junit([result]))
    if isinstance(result.answer, Violated):
        shown, name = result.answer.run.timeline, result.source.name
        json.loads(itf(shown, name))
        ElementTree.fromstring(sequence_svg(shown, name))
        sequence_mermaid(shown)
        sequence_dot(shown)
