"""Facts about the backend for the page: version, kinds of sources, questions, limits."""

from importlib.util import find_spec
from typing import Any

from seriatim import __version__
from seriatim.frontends.languages import SOURCES, Executed
from seriatim.frontends.protocol import ISOLATION_LEVELS
from seriatim.properties.all import ALL
from seriatim.web.questions import MAX_TEXT, MODELS, Room


def about(room: Room) -> dict[str, Any]:
    readable = [each for each in SOURCES if not each.package or find_spec(each.package)]
    executed = [each for each in readable if room.may_run and each.executed is not Executed.NEVER]
    return {
        "version": __version__,
        "suffixes": [suffix for each in readable for suffix in each.suffixes],
        "properties": [
            {"name": each.name, "takes": [parameter.key for parameter in each.takes]} for each in ALL
        ],
        "isolation": list(ISOLATION_LEVELS),
        "models": list(MODELS),
        "solver": find_spec("z3") is not None,
        "executed": {suffix: each.executed.value for each in executed for suffix in each.suffixes},
        "limits": {"seconds": room.seconds, "max_states": room.max_states, "max_text": MAX_TEXT},
    }
