"""The checker's report on a certificate, for people and as JSON (`verification.schema.json`)."""

from collections.abc import Sequence
from typing import Any

from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Obligation, Report
from seriatim.properties.property import in_words, property_fields
from seriatim.report.diagnostic_json import diagnostic_json
from seriatim.report.evidence_words import evidence_words
from seriatim.report.text_look import Style, TextLook
from seriatim.report.threads import asked_about_threads
from seriatim.source import Diagnostic
from seriatim.text_width import fill, printable

VERSION = 1


def verification_text(
    report: Report, certificate: Certificate, certificate_name: str, name: str, look: TextLook, details: bool
) -> str:
    """The conclusion, then the obligations, one a line. Details are shown if asked for, if an obligation
    fails, and if a solver gave up."""
    claim = in_words(certificate.verdict)
    if report.accepted:
        conclusion = f"{look.paint('valid', Style.GOOD)}: {name} is {claim}"
    elif report.obligations[-1].code == "unexpected":
        conclusion = (
            f"{look.paint('REFUSED', Style.BAD)}: it says that {name} is {claim}, which was not expected"
        )
    else:
        conclusion = f"{look.paint('REFUSED', Style.BAD)}: it does not prove that {name} is {claim}"
    lines = [f"{look.paint(certificate_name, Style.STRONG)}: {conclusion}"]
    kind = certificate.evidence.kind
    is_about_threads = kind.startswith("thread-") or kind == "petrified"
    question = certificate.question
    if asked := asked_about_threads(question) if is_about_threads else question.asked():
        lines.append(fill(asked, look.width, "  "))
    for obligation in report.obligations:
        lines += obligation_lines(obligation, look, details or not obligation.holds)
    return "".join(line + "\n" for line in lines)


def obligation_lines(obligation: Obligation, look: TextLook, details: bool) -> list[str]:
    mark, style = (look.symbols.holds, Style.GOOD) if obligation.holds else (look.symbols.fails, Style.BAD)
    line = f"{look.paint(mark, style)} {_show(obligation.claim, look)}"
    if obligation.gave_up or (details and obligation.detail):
        lines = [line, fill(_show(obligation.detail, look), look.width, "    ")]
    else:
        lines = [line]
    if details:
        lines.extend(_item(_show(item, look), look) for item in evidence_words(obligation.data))
    return lines


def _item(text: str, look: TextLook) -> str:
    """An entry of a list: further lines are indented a little more."""
    return "    - " + fill(text, look.width, "      ").lstrip()


def _show(text: str, look: TextLook) -> str:
    """The checker's words, in characters that the terminal can show."""
    return printable(text).replace("×", look.symbols.times).replace("…", look.symbols.ellipsis)


def verification_json(
    report: Report, certificate: Certificate, certificate_name: str, name: str
) -> dict[str, Any]:
    return _header(certificate_name, name) | {
        "result": "valid" if report.accepted else "refused",
        "property": property_fields(certificate.question),
        "verdict": certificate.verdict,
        "obligations": [obligation_json(each) for each in report.obligations],
    }


def obligation_json(obligation: Obligation) -> dict[str, Any]:
    return {
        "claim": obligation.claim,
        "holds": obligation.holds,
        "detail": obligation.detail,
        "data": list(evidence_words(obligation.data)),
        "confirmed_by": list(obligation.confirmed_by),
        "gave_up": list(obligation.gave_up),
    }


def gave_up_json(reason: str, certificate_name: str, name: str) -> dict[str, Any]:
    return _header(certificate_name, name) | {"result": "unknown", "reason": reason}


def bad_input_json(
    culprit: str, diagnostics: Sequence[Diagnostic], certificate_name: str, name: str
) -> dict[str, Any]:
    """A JSON object about bad input; `culprit` is the file that is bad."""
    found = [{"file": culprit} | diagnostic_json(diagnostic) for diagnostic in diagnostics]
    return _header(certificate_name, name) | {"result": "error", "diagnostics": found}


def _header(certificate_name: str, name: str) -> dict[str, Any]:
    return {"version": VERSION, "certificate": certificate_name, "file": name}
