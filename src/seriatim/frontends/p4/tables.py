"""Reads tables: their actions, default actions and entries."""

from collections.abc import Mapping
from dataclasses import dataclass

from seriatim.frontends.p4 import syntax, terms
from seriatim.frontends.p4.calls import Calls
from seriatim.frontends.p4.code import Apply, Choice, Const, Pattern, Table, TableEntry, Value
from seriatim.frontends.p4.environment import Environment, Place
from seriatim.frontends.p4.kinds import Bits, Bool, Simple, Whole
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse

MATCHES = ("exact", "lpm", "ternary", "range", "optional", "selector")

PROPERTIES = frozenset(
    ("size", "counters", "implementation", "support_timeout", "largest_priority_wins", "meters")
)
"""Properties of tables that change nothing in the model."""


@dataclass(frozen=True, slots=True)
class Given:
    """The entries and the default action of a table, as the user gave them."""

    entries: tuple[TableEntry, ...]
    default: tuple[str, tuple[int, ...]] | None = None


GivenEntries = Mapping[str, Given]
"""Given entries, by the name of the control and the table."""


class Tables:
    """Reads tables where they are applied."""

    def __init__(self, calls: Calls, given: GivenEntries) -> None:
        self.calls = calls
        self.values = calls.values
        self.steps = calls.steps
        self.given = given

    def table(self, table: syntax.Table, environment: Environment, name: str) -> Apply:
        for each in table.properties:
            if each.name not in PROPERTIES:
                hint = "remove the property"
                raise refuse(UNSUPPORTED, f"property `{each.name}` is not supported", each.span, hint)
        for key in table.keys:
            if key.match not in MATCHES:
                raise refuse(UNSUPPORTED, f"match kind `{key.match}` is not supported", key.span)
        keys = tuple(self.values.value(key.expression, environment) for key in table.keys)
        matches = tuple(key.match for key in table.keys)
        full_name = f"{self.steps.owner}.{name}"
        number = self.steps.fresh(f"{name}.apply()", Bool()).path
        again = number.partition("~")[2]
        label = f"{full_name}~{again}" if again else full_name
        choices = self._choices(table, environment, label)
        actions = {each.action: each for each in choices}
        default = self._default(table, environment, actions)
        given = self.given.get(full_name)
        entries: tuple[TableEntry, ...] | None
        if given is not None:
            entries, default = given.entries, given.default or default
            self._check_given(full_name, table, given, actions)
        elif table.entries is not None:
            entries = self._entries(table, keys, environment, actions)
        else:
            entries = () if not keys and table.default_is_constant else None
        found = Table(
            full_name, keys, matches, choices, entries, default, table.default_is_constant, table.span
        )
        return Apply(found, label, f"{number}.hit", f"{number}.action_run", table.span)

    def _choices(self, table: syntax.Table, environment: Environment, name: str) -> tuple[Choice, ...]:
        """Each action of the table; the default action is one of them, or `NoAction`."""
        refs = list(table.actions)
        default = table.default.name if table.default is not None else "NoAction"
        if default not in [each.name for each in refs]:
            refs.append(syntax.ActionRef(default, span=table.span))
        found: list[Choice] = []
        for number, ref in enumerate(refs):
            action = environment.find(ref.name)
            if not isinstance(action, syntax.Action):
                raise refuse(UNKNOWN, f"nothing declares an action {quote_name(ref.name)}", ref.span)
            free = [each for each in action.parameters if each.direction is syntax.Direction.NONE]
            data: dict[str, Place] = {}
            bits: list[tuple[str, Simple]] = []
            for parameter in free:
                kind = self.calls.types.resolve(parameter.type)
                if not isinstance(kind, Simple):
                    raise refuse(UNSUPPORTED, f"data of type {kind} is not supported", parameter.span)
                place = Place(f"{name}.{ref.name}.{parameter.name}", kind)
                data[parameter.name] = place
                bits.append((place.path, kind))
            home = environment.home(ref.name)
            body = self.calls.action(action, ref.arguments or (), environment, action.span, home, data)
            marks = {each.name for each in ref.annotations}
            is_default = "defaultonly" in marks or number >= len(table.actions)
            found.append(Choice(ref.name, number, tuple(bits), body, is_default, "tableonly" in marks))
        return tuple(found)

    def _default(
        self, table: syntax.Table, environment: Environment, choices: Mapping[str, Choice]
    ) -> tuple[str, tuple[int, ...] | None]:
        if table.default is None:
            return "NoAction", ()
        choice = choices[table.default.name]
        if table.default.arguments is None:
            return choice.action, None if choice.data else ()
        return choice.action, self._data(table.default, choice, environment)

    def _data(self, ref: syntax.ActionRef, choice: Choice, environment: Environment) -> tuple[int, ...]:
        values: list[int] = []
        arguments = ref.arguments or ()
        if len(arguments) < len(choice.data):
            message = f"action {quote_name(ref.name)} needs {len(choice.data)} values"
            raise refuse(UNKNOWN, message, ref.span)
        for argument, (_, kind) in zip(arguments[-len(choice.data) :], choice.data, strict=False):
            value = self.values.value(argument.value, environment, kind)
            if not isinstance(value, Const):
                raise refuse(UNKNOWN, "the data of an action have to be constants", argument.span)
            values.append(value.value)
        return tuple(values)

    # --- entries ------------------------------------------------------------------------------------------

    def _entries(
        self,
        table: syntax.Table,
        keys: tuple[Value, ...],
        environment: Environment,
        choices: Mapping[str, Choice],
    ) -> tuple[TableEntry, ...]:
        found: list[TableEntry] = []
        for number, entry in enumerate(table.entries or ()):
            if len(entry.keys) != len(keys):
                message = f"this entry has {len(entry.keys)} keys, but the table has {len(keys)}"
                raise refuse(UNKNOWN, message, entry.span)
            if entry.action.name not in choices:
                message = f"the table has no action {quote_name(entry.action.name)}"
                raise refuse(UNKNOWN, message, entry.action.span)
            if entry.priority is not None:
                hint = "write the entries in the order of their priorities"
                raise refuse(UNSUPPORTED, "`priority` is not supported", entry.span, hint)
            patterns = tuple(
                self._pattern(each, key, environment) for each, key in zip(entry.keys, keys, strict=True)
            )
            data = self._data(entry.action, choices[entry.action.name], environment)
            is_prefix = "lpm" in [key.match for key in table.keys]
            priority = -sum(each.prefix for each in patterns) if is_prefix else number
            found.append(TableEntry(patterns, entry.action.name, data, priority, entry.span))
        return tuple(sorted(found, key=lambda each: each.priority))

    def _pattern(self, written: terms.Expression, key: Value, environment: Environment) -> Pattern:
        kind = key.kind
        match written:
            case terms.Anything():
                return Pattern()
            case terms.Mask(value=value, mask=mask):
                bits = self._number(mask, kind, environment)
                return Pattern(self._number(value, kind, environment), bits, prefix=bits.bit_count())
            case terms.Interval(low=low, high=high):
                least = self._number(low, kind, environment)
                return Pattern(low=least, high=self._number(high, kind, environment))
            case _:
                return exact(self._number(written, kind, environment), kind)

    def _number(self, written: terms.Expression, kind: Simple, environment: Environment) -> int:
        value = self.values.value(written, environment, kind)
        if not isinstance(value, Const):
            raise refuse(UNKNOWN, "keys of entries have to be constants", written.span)
        return value.value

    def _check_given(
        self, name: str, table: syntax.Table, given: Given, choices: Mapping[str, Choice]
    ) -> None:
        """Checks given entries; raises `InputError` if they do not fit their table."""
        for entry in given.entries:
            choice = choices.get(entry.action)
            if (
                choice is None
                or len(entry.patterns) != len(table.keys)
                or len(entry.data) != len(choice.data)
            ):
                message = f"an entry of {quote_name(name)} does not fit: {len(table.keys)} keys"
                if choice is None:
                    message = f"table {quote_name(name)} has no action {quote_name(entry.action)}"
                elif len(entry.patterns) == len(table.keys):
                    message = f"action {quote_name(entry.action)} takes {len(choice.data)} values"
                raise refuse(UNKNOWN, message, entry.span, "entries come from --entries")


def exact(value: int, kind: Simple) -> Pattern:
    """The pattern that matches one value."""
    width = kind.width if isinstance(kind, Bits) else 1 if isinstance(kind, Bool) else 64
    mask = (1 << width) - 1
    assert not isinstance(kind, Whole) or value >= 0
    return Pattern(value & mask, mask, prefix=width)
