"""Conflicts, of which evidence of the kind `cycle` consists, as JSON."""

from typing import Literal

from seriatim.certificate.format import Access, Conflict
from seriatim.strict_json import one_of, positive, record, string, wrong

CONFLICT = ("first", "second", "variable", "accesses")
ACCESSES: tuple[Literal["read", "write"], ...] = ("read", "write")


def conflict_fields(conflicts: tuple[Conflict, ...]) -> list[dict[str, object]]:
    return [
        dict(zip(CONFLICT, (each.first, each.second, each.variable, list(each.accesses)), strict=True))
        for each in conflicts
    ]


def read_conflict(value: object, where: str) -> Conflict:
    fields = record(value, where, CONFLICT)
    accesses = fields.items("accesses", _access)
    if len(accesses) != 2:
        raise wrong(f"{where}.accesses", "a list of two, one for each turn")
    return Conflict(
        first=fields.read("first", positive),
        second=fields.read("second", positive),
        variable=fields.read("variable", string),
        accesses=(accesses[0], accesses[1]),
    )


def _access(value: object, where: str) -> Access:
    return one_of(value, where, ACCESSES)
