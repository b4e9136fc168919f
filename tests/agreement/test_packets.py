"""Random packet programs: the model has exactly the outcomes of the interpreter at full widths.

Under `bmv2`, packets of one port keep their order in egress; the model allows more interleavings there, so
its outcomes contain those of the interpreter.
"""

import pytest

from seriatim.frontends.p4.models import Model
from testkit.generators.packets import comparison
from testkit.samples import sample

SEEDS = 120
PART = 8
"""One in so many in a usual run. `reliability/packets.py` looks at more programs, with more packets."""


@pytest.mark.parametrize("seed", sample(SEEDS, PART))
def test_models_and_the_interpreter_agree_on_all_interleavings(seed: int) -> None:
    model = list(Model)[seed // PART % 3]
    assert not comparison(seed, model, most=2)
