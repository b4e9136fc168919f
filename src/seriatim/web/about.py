"""Facts about the backend for the page: version, kinds of sources, questions, limits."""

from importlib.util import find_spec
from typing import Any

from seriatim import __version__
from seriatim.frontends.all import EVERYONE
from seriatim.frontends.protocol import ISOLATION_LEVELS
from seriatim.properties.all import ALL
from seriatim.web.questions import MAX_TEXT, Room

PARSERS = {".sql": "sqlglot", ".spec": "sqlglot", ".c": "pycparser"}
"""The packages that kinds of sources need besides Seriatim."""


def about(room: Room) -> dict[str, Any]:
    suffixes = [suffix for each in EVERYONE for suffix in each.suffixes]
    return {
        "version": __version__,
        "suffixes": [each for each in suffixes if each not in PARSERS or find_spec(PARSERS[each])],
        "properties": [
            {"name": each.name, "takes": [parameter.key for parameter in each.takes]} for each in ALL
        ],
        "isolation": list(ISOLATION_LEVELS),
        "solver": find_spec("z3") is not None,
        "replay": room.replay,
        "limits": {"seconds": room.seconds, "max_states": room.max_states, "max_text": MAX_TEXT},
    }
