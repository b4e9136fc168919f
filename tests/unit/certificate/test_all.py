"""Every kind of evidence is listed once, under the name that its class has."""

from typing import get_args

from seriatim.certificate.all import KINDS
from seriatim.certificate.evidence import Evidence


def test_the_names_are_those_of_the_classes_in_their_order() -> None:
    assert tuple(evidence.kind for evidence in get_args(Evidence)) == KINDS
