"""What the user expects of a certificate; a valid certificate that shows something else is refused."""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Obligation
from seriatim.program.specification import Specification
from seriatim.properties.property import Property, in_words


@dataclass(frozen=True, slots=True)
class Expected:
    """What a certificate has to show; None means anything."""

    verdict: str | None = None
    question: Property | None = None
    """The question with all its parameters."""


def expected_obligations(certificate: Certificate, expected: Expected) -> Iterator[Obligation]:
    """Whether the certificate is about what was expected."""
    question, verdict = certificate.question, certificate.verdict
    if expected.question is not None:
        others = different_parameters(question, expected.question)
        another = f", with another --{' and another --'.join(others)}" if others else ""
        yield Obligation(
            f"the certificate answers the question that was asked: {expected.question.name}",
            type(question) is type(expected.question) and not others,
            f"it is about {question.name}{another}",
            code="unexpected",
        )
    if expected.verdict is not None:
        yield Obligation(
            f'the verdict is the expected one: "{in_words(expected.verdict)}"',
            verdict == expected.verdict,
            f'it is "{in_words(verdict)}"',
            code="unexpected",
        )


def different_parameters(found: Property, expected: Property) -> list[str]:
    """The options of parameters that differ, but for comments and layout of a specification; none if the
    properties are not the same one."""

    def meaning(question: Property, attribute: str) -> object:
        value = getattr(question, attribute)
        return value.meaning if isinstance(value, Specification) else value

    if type(found) is not type(expected):
        return []
    return [
        parameter.option
        for parameter in found.takes
        if meaning(found, parameter.attribute) != meaning(expected, parameter.attribute)
    ]
