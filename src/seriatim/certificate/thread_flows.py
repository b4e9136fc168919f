"""Sums of globals and numbers of threads that never change, as certificates write them."""

from dataclasses import dataclass

from seriatim.certificate.thread_predicates import read_place
from seriatim.strict_json import integer, record, string, wrong

FLOW = ("globals", "main", "threads", "total", "values")


@dataclass(frozen=True, slots=True)
class Flow:
    """Globals times their factors, main's weight at its place, and the threads' weights add up to the total.

    It holds at the places of main that have a weight."""

    globals: tuple[tuple[str, int], ...]
    main: tuple[tuple[int, int], ...]
    """Places of main, with weights of either sign."""
    threads: tuple[tuple[str, int, int], ...]
    """Template, place, and weight, which is not negative; others weigh nothing."""
    total: int
    values: tuple[tuple[str, int, int], ...] = ()
    """A global, a value, and what counts while the global has this value."""


def flow_fields(flow: Flow) -> dict[str, object]:
    values = (
        dict(flow.globals),
        [list(each) for each in flow.main],
        [list(each) for each in flow.threads],
        flow.total,
        [list(each) for each in flow.values],
    )
    return dict(zip(FLOW, values, strict=True))


def read_flow(value: object, where: str) -> Flow:
    fields = record(value, where, FLOW)
    return Flow(
        fields.read("globals", _read_factors),
        fields.items("main", _read_main),
        fields.items("threads", _read_thread),
        fields.read("total", integer),
        fields.items("values", _read_value),
    )


def _read_factors(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object with a factor for each global")
    return tuple((name, integer(each, f"{where}.{name}")) for name, each in value.items())


def _read_main(value: object, where: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(where, "a list of a place and a weight")
    return read_place(value[0], where), integer(value[1], where)


def _read_thread(value: object, where: str) -> tuple[str, int, int]:
    if not isinstance(value, list) or len(value) != 3:
        raise wrong(where, "a list of a template, a place and a weight")
    return string(value[0], where), read_place(value[1], where), integer(value[2], where)


def _read_value(value: object, where: str) -> tuple[str, int, int]:
    if not isinstance(value, list) or len(value) != 3:
        raise wrong(where, "a list of a global, a value and what that counts")
    return string(value[0], where), integer(value[1], where), integer(value[2], where)
