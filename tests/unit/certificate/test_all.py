"""Every kind of evidence is listed once, under the name that its class has."""

from typing import get_args, get_type_hints

import pytest

from seriatim.certificate.all import KINDS, Kind, class_of, module_of
from seriatim.certificate.evidence import Evidence


def test_the_names_are_those_of_the_classes_in_their_order() -> None:
    assert tuple(evidence.kind for evidence in get_args(Evidence)) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_class_in_the_module_of_its_name(kind: Kind) -> None:
    (evidence,) = [each for each in get_args(Evidence) if each.kind == kind]
    assert class_of(kind) is evidence
    assert evidence.__module__ == f"seriatim.certificate.{kind.replace('-', '_')}"
    own = getattr(module_of(kind), "read", None)
    assert own is None or get_type_hints(own)["return"] is evidence
