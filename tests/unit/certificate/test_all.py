"""Every kind of evidence is listed once, under the name that its class has."""

from typing import get_args, get_type_hints

import pytest

from seriatim.certificate.all import KINDS, Kind, module_of
from seriatim.certificate.evidence import Evidence


def test_the_names_are_those_of_the_classes_in_their_order() -> None:
    assert tuple(evidence.kind for evidence in get_args(Evidence)) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_module_that_writes_and_reads_it(kind: Kind) -> None:
    (evidence,) = [each for each in get_args(Evidence) if each.kind == kind]
    module = module_of(kind)
    assert evidence.__module__ == f"seriatim.certificate.{kind.replace('-', '_')}"
    assert callable(module.fields)
    assert get_type_hints(module.read)["return"] is evidence
