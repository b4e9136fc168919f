"""What the user expects of a certificate; a valid certificate that shows something else is refused."""

from collections.abc import Iterator

from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Obligation
from seriatim.frozen import frozen
from seriatim.program.specification import Specification
from seriatim.properties.property import Property, in_words


@frozen
class Expected:
    """What a certificate has to show; None means anything."""

    verdict: str | None = None
    question: Property | None = None
    """The question with all its parameters."""


def expected_obligations(certificate: Certificate, expected: Expected) -> Iterator[Obligation]:
    """Whether the certificate is about what was expected."""
    question, verdict = certificate.question, certificate.verdict
    if expected.question is not None:
        yield Obligation(
            f"the certificate answers the question that was asked: {expected.question.name}",
            is_same_question(question, expected.question),
            f"it is about {question.name}{_difference(question, expected.question)}",
            code="unexpected",
        )
    if expected.verdict is not None:
        yield Obligation(
            f'the verdict is the expected one: "{in_words(expected.verdict)}"',
            verdict == expected.verdict,
            f'it is "{in_words(verdict)}"',
            code="unexpected",
        )


def is_same_question(one: Property, other: Property) -> bool:
    """Whether two questions are the same, but for comments and layout of a specification."""
    if type(one) is not type(other):
        return False
    names = [parameter.attribute for parameter in one.takes]
    return all(_meaning(getattr(one, name)) == _meaning(getattr(other, name)) for name in names)


def _meaning(value: object) -> object:
    return value.meaning if isinstance(value, Specification) else value


def _difference(found: Property, expected: Property) -> str:
    """The parameters that differ, in words."""
    if type(found) is not type(expected):
        return ""
    names = [
        parameter.option
        for parameter in found.takes
        if _meaning(getattr(found, parameter.attribute)) != _meaning(getattr(expected, parameter.attribute))
    ]
    return f", with another --{' and another --'.join(names)}" if names else ""
