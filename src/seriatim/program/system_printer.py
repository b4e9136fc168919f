"""Network systems to text, as JSON; what is printed reads as a system with the same entries."""

import json

from seriatim.program.network_system import NetworkSystem

INITIAL = "initial_global"
"""The key of the initial global state; `name_entries` has the other keys."""

Entry = tuple[str, ...]


def write_system(system: NetworkSystem) -> str:
    """The system as JSON, one entry a line, in its own order. What no entry names is lost."""
    members = [f'  "{INITIAL}": {_json(system.globals[system.initial])}']
    for key, entries in name_entries(system).items():
        lines = ",".join(f"\n    {_json(entry)}" for entry in entries)
        members.append(f'  "{key}": [{lines}\n  ]' if lines else f'  "{key}": []')
    return "{\n" + ",\n".join(members) + "\n}\n"


def name_entries(system: NetworkSystem) -> dict[str, list[Entry]]:
    """The three lists of the format."""
    globals_ = system.globals
    locals_ = [local.name for local in system.locals]
    return {
        "requests": [(system.requests[request], locals_[local]) for request, local in system.req],
        "responses": [(locals_[local], system.responses[response]) for local, response in system.resp],
        "transitions": [
            (locals_[local], globals_[global_], locals_[target], globals_[after])
            for local, global_, target, after in system.delta
        ],
    }


def _json(value: str | Entry) -> str:
    return json.dumps(value, ensure_ascii=False)
