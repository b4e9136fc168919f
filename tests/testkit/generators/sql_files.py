"""Random SQL files with random schemas: types, keys, checks, defaults, foreign keys, unique indexes.

Everything comes from the list of what the model accepts (`frontends/sql/accepting.py`), so a new row there
gets into scripts here, or its test fails.
"""

from random import Random

from seriatim.frontends.sql.accepting import AGGREGATES, FUNCTIONS, OPERATORS, Kind
from seriatim.frontends.sql.terms import Function, Operator, Summary

TYPES = {
    "int": (Kind.NUMBER, ["0", "1", "2", "3"]),
    "smallint": (Kind.NUMBER, ["0", "1", "2", "32767"]),
    "bigint": (Kind.NUMBER, ["0", "1", "2", "3"]),
    "numeric": (Kind.NUMBER, ["0", "1", "2"]),
    "boolean": (Kind.TRUTH, ["true", "false"]),
    "text": (Kind.TEXT, ["'a'", "'A'", "'b'", "''"]),
    "varchar(2)": (Kind.TEXT, ["'a'", "'ab'", "'b '"]),
    "mood": (Kind.TEXT, ["'sad'", "'ok'"]),
    "date": (Kind.MOMENT, ["'2024-01-01'", "'2024-02-01'"]),
    "timestamp": (Kind.MOMENT, ["'2024-01-01 10:00:00'", "'2024-02-01'"]),
    "timestamptz": (Kind.MOMENT, ["'2024-01-01 10:00:00'", "'2024-02-01'"]),
}
"""The types of columns, with their kinds and values."""

SERIALS = ("serial", "bigserial", "int GENERATED ALWAYS AS IDENTITY")

SIGNS = {
    Function.NOT: "NOT ({0})",
    Function.NEGATE: "-({0})",
    Function.IS_NULL: "({0}) IS NULL",
    Function.IS_TRUE: "({0}) IS TRUE",
    Function.IS_FALSE: "({0}) IS NOT FALSE",
    Function.SAME: "({0}) IS NOT DISTINCT FROM {1}",
    Function.TO_INTEGER: "({0})::int",
    Function.COALESCE: "COALESCE({0}, {1})",
    Function.NULLIF: "NULLIF({0}, {1})",
    Function.GREATEST: "GREATEST({0}, {1})",
    Function.LEAST: "LEAST({0}, {1})",
}
"""How functions are written; the others as NAME(argument)."""

RESULTS = {
    Function.IS_NULL: Kind.TRUTH,
    Function.IS_TRUE: Kind.TRUTH,
    Function.IS_FALSE: Kind.TRUTH,
    Function.SAME: Kind.TRUTH,
    Function.TO_INTEGER: Kind.NUMBER,
}
"""The kinds of results, where they are not those of the arguments."""

ARITHMETIC = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.MODULO)


class Writer:
    """Writes one random file."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.columns: dict[str, dict[str, str]] = {}
        """The columns of each table, with their types."""
        self.serial: set[str] = set()

    def write(self, transactions: int = 2) -> str:
        lines = ["CREATE TYPE mood AS ENUM ('sad', 'ok');", *self._tables()]
        for number in range(transactions):
            body = [f"{self._statement()};" for _ in range(self.random.choice([1, 2, 2, 3]))]
            if self.random.random() < 0.85:
                end = "ROLLBACK;" if self.random.random() < 0.07 else "COMMIT;"
                body = ["BEGIN;", *body, end]
            lines += [f"-- transaction: t{number} once", *body]
        return "\n".join(lines) + "\n"

    # Tables

    def _tables(self) -> list[str]:
        found = self._table("t")
        if self.random.random() < 0.6:
            found += self._table("u", parent="t" if "t" not in self.serial else None)
        return found

    def _table(self, name: str, parent: str | None = None) -> list[str]:
        pick = self.random
        types = {f"{name}{n}": pick.choice(list(TYPES)) for n in range(pick.choice([1, 2, 2, 3]))}
        parts = [f"{column} {type_}{self._constraint(column, type_)}" for column, type_ in types.items()]
        if pick.random() < 0.2:
            self.serial.add(name)
            parts.insert(0, f"id {pick.choice(SERIALS)} PRIMARY KEY")
        else:
            parts.insert(0, "id int" if pick.random() < 0.1 else "id int PRIMARY KEY")
        self.columns[name] = {"id": "int", **types}
        if parent is not None and "PRIMARY" in self.keys_of(parent) and pick.random() < 0.5:
            parts.append(f"p int {pick.choice(['', 'NOT NULL '])}REFERENCES {parent}")
            self.columns[name]["p"] = "int"
        last = list(types)[-1]
        if pick.random() < 0.15:
            parts.append(f"UNIQUE ({', '.join(types)})")
        if pick.random() < 0.15:
            parts.append(f"CONSTRAINT sound CHECK ({self._test(name, {name: name}, 1)})")
        self._keys = {**getattr(self, "_keys", {}), name: parts[0]}
        found = [f"CREATE TABLE {name} ({', '.join(parts)});"]
        rows = ", ".join(
            f"({', '.join(self._first(column, type_, n) for column, type_ in self._filled(name).items())})"
            for n in range(pick.choice([1, 2, 2]))
        )
        found.append(f"INSERT INTO {name} ({', '.join(self._filled(name))}) VALUES {rows};")
        if pick.random() < 0.15:
            value = f"lower({last})" if TYPES[types[last]][0] is Kind.TEXT and types[last] != "mood" else last
            found.insert(1, f"CREATE UNIQUE INDEX ON {name} ({value});")
        if pick.random() < 0.1:
            found.append(f"ALTER TABLE {name} ADD UNIQUE (id, {last});")
        return found

    def keys_of(self, name: str) -> str:
        return str(self._keys[name])

    def _filled(self, name: str) -> dict[str, str]:
        """The columns that an INSERT names."""
        own = self.columns[name]
        return {column: type_ for column, type_ in own.items() if column != "id" or name not in self.serial}

    def _first(self, column: str, type_: str, row: int) -> str:
        if column == "id":
            return str(row)
        if column == "p":
            return "0"
        values = TYPES[type_][1]
        return values[row % len(values)] if self.random.random() < 0.9 else self.random.choice(values)

    def _constraint(self, column: str, type_: str) -> str:
        kind, values = TYPES[type_]
        one = self.random.choice(values)
        own = [
            " NOT NULL",
            f" DEFAULT {one}",
            f" CHECK ({column} <> {one})",
            " UNIQUE",
            f" NOT NULL DEFAULT {one}",
        ]
        if kind in (Kind.NUMBER, Kind.MOMENT):
            own.append(f" CHECK ({column} >= {values[0]})")
        return self.random.choice([*own, "", "", "", ""])

    # Statements

    def _statement(self) -> str:
        kinds = [self._select] * 4 + [self._update] * 4 + [self._insert] * 3 + [self._delete] * 2
        return self.random.choice(kinds)()

    def _where(self, table: str, names: dict[str, str]) -> str:
        if self.random.random() < 0.35:
            return f" WHERE {names[table]}.id = {self.random.randrange(3)}"
        return f" WHERE {self._test(table, names, 2)}" if self.random.random() < 0.6 else ""

    def _select(self) -> str:
        pick = self.random
        table = pick.choice(list(self.columns))
        names = {table: table}
        source, before = table, ""
        chance = pick.random()
        if chance < 0.2 and len(self.columns) > 1:
            names = {"t": "t", "u": "b"}
            source = f"t {pick.choice(['JOIN', 'LEFT JOIN'])} u AS b ON t.id = b.id"
        elif chance < 0.3:
            before = f"WITH c AS (SELECT * FROM {table}{self._where(table, {table: table})}) "
            names, source = {table: "c"}, "c"
        elif chance < 0.45:
            lock = pick.choice(["UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"])
            order = pick.choice(["", " ORDER BY id LIMIT 1"])
            wait = pick.choice(["", "", " NOWAIT", " SKIP LOCKED"])
            return f"SELECT * FROM {table}{self._where(table, names)}{order} FOR {lock}{wait}"
        where = self._where(table, names)
        if pick.random() < 0.3:
            summary = pick.choice(list(Summary))
            kinds = sorted(AGGREGATES[summary] & {kind for kind, _ in TYPES.values()})
            inner = pick.choice(["", "DISTINCT "]) + self._value(pick.choice(kinds), table, names, 1)
            own = "count(*)" if pick.random() < 0.3 else f"{summary}({inner})"
            if pick.random() < 0.4:
                key = f"{names[table]}.{pick.choice(list(self.columns[table]))}"
                having = pick.choice(["", f" HAVING {own} IS NOT NULL"])
                return f"{before}SELECT {key}, {own} FROM {source}{where} GROUP BY {key}{having}"
            return f"{before}SELECT {own} FROM {source}{where}"
        outputs = [
            self._value(pick.choice(list(Kind)[:4]), table, names, 2) for _ in range(pick.choice([1, 1, 2]))
        ]
        if pick.random() < 0.15:
            return f"{before}SELECT DISTINCT {', '.join(outputs)} FROM {source}{where}"
        order = ""
        if pick.random() < 0.4:
            way = pick.choice(["", " DESC", " NULLS FIRST"])
            order = f" ORDER BY {self._value(Kind.NUMBER, table, names, 1)} + 0{way}"
            order += pick.choice(
                ["", f", {names[table]}.id LIMIT 1", f", {names[table]}.id LIMIT 1 OFFSET 1"]
            )
        if pick.random() < 0.1:
            outputs.append(f"EXISTS (SELECT 1 FROM {table} AS e{self._where(table, {table: 'e'})})")
        if pick.random() < 0.1:
            outputs.append(f"(SELECT max(e.id) FROM {table} AS e{self._where(table, {table: 'e'})})")
        return f"{before}SELECT {', '.join(outputs)} FROM {source}{where}{order}"

    def _returning(self, table: str, name: str) -> str:
        if self.random.random() < 0.75:
            return ""
        return f" RETURNING {name}.{self.random.choice(list(self.columns[table]))}"

    def _update(self) -> str:
        pick = self.random
        table = pick.choice(list(self.columns))
        name = pick.choice([table, table, "z"])
        alias = f" AS {name}" if name != table else ""
        names = {table: name}
        chosen = (
            pick.sample(list(self._filled(table)), 1)
            if pick.random() < 0.8
            else ["id", *self.columns[table]][:2]
        )
        chosen = [each for each in dict.fromkeys(chosen) if each in self._filled(table)]
        sets = ", ".join(f"{column} = {self._stored(table, column, names)}" for column in chosen) or "id = id"
        if "id" in chosen and table in self.serial:
            sets = "id = DEFAULT"
        return f"UPDATE {table}{alias} SET {sets}{self._where(table, names)}{self._returning(table, name)}"

    def _stored(self, table: str, column: str, names: dict[str, str]) -> str:
        if column in ("id", "p"):
            return str(self.random.randrange(4))
        type_ = self.columns[table][column]
        kind, values = TYPES[type_]
        chance = self.random.random()
        if chance < 0.1:
            return "NULL"
        if chance < 0.2:
            return "DEFAULT"
        if type_ == "mood" or chance < 0.55:
            return self.random.choice(values)
        return self._value(kind, table, names, 2)

    def _delete(self) -> str:
        table = self.random.choice(list(self.columns))
        return f"DELETE FROM {table}{self._where(table, {table: table})}{self._returning(table, table)}"

    def _insert(self) -> str:
        pick = self.random
        table = pick.choice(list(self.columns))
        filled = self._filled(table)
        conflict = ""
        chance = pick.random()
        if chance < 0.15:
            conflict = " ON CONFLICT DO NOTHING"
        elif chance < 0.35 and "PRIMARY" in self.keys_of(table):
            column = pick.choice([each for each in self.columns[table] if each != "id"])
            values = TYPES[self.columns[table][column]][1]
            new = pick.choice([f"excluded.{column}", pick.choice(values), f"{table}.{column}"])
            conflict = f" ON CONFLICT (id) DO UPDATE SET {column} = {new}"
            conflict += pick.choice(["", "", f" WHERE {table}.id < 2"])
        if pick.random() < 0.15 and table not in self.serial:
            rest, where = ", ".join(list(filled)[1:]), self._where(table, {table: table})
            source = f"SELECT id + 2, {rest} FROM {table}{where}"
        else:
            cells = [
                str(pick.randrange(4)) if each == "id" else self._constant(type_)
                for each, type_ in filled.items()
            ]
            source = f"VALUES ({', '.join(cells)})"
        return f"INSERT INTO {table} ({', '.join(filled)}) {source}{conflict}{self._returning(table, table)}"

    def _constant(self, type_: str) -> str:
        return self.random.choice([*TYPES[type_][1] * 3, "NULL", "DEFAULT"])

    # Expressions

    def _test(self, table: str, names: dict[str, str], depth: int) -> str:
        return self._value(Kind.TRUTH, table, names, depth)

    def _leaf(self, kind: Kind, table: str, names: dict[str, str]) -> str:
        own = [
            f"{names[table]}.{column}"
            for column, type_ in self.columns[table].items()
            if TYPES[type_][0] is kind and type_ != "mood"
        ]
        values = [value for each, some in TYPES.values() if each is kind for value in some[:2]]
        values = [value for value in values if value not in ("'sad'", "'ok'")]
        if own and self.random.random() < 0.75:
            return self.random.choice(own)
        one = self.random.choice(values)
        return f"TIMESTAMP {one}" if kind is Kind.MOMENT else one

    def _value(self, kind: Kind, table: str, names: dict[str, str], depth: int) -> str:
        """An expression of a kind."""
        if depth <= 0 or self.random.random() < 0.3:
            return self._leaf(kind, table, names)

        def inner(wanted: Kind) -> str:
            return self._value(wanted, table, names, depth - 1)

        chance = self.random.random()
        if chance < 0.1:
            return f"CASE WHEN {inner(Kind.TRUTH)} THEN {inner(kind)} ELSE {inner(kind)} END"
        if chance < 0.5:
            made = self._operation(kind, inner)
            if made is not None:
                return made
        calls = [
            function
            for function, kinds in FUNCTIONS.items()
            if RESULTS.get(function, kind) is kind and (function in RESULTS or kind in kinds)
        ]
        function = self.random.choice(calls)
        wanted = kind
        if function in RESULTS:
            wanted = self.random.choice(sorted(FUNCTIONS[function] - {Kind.NEW}))
        first, second = inner(wanted), inner(wanted)
        shape = SIGNS.get(function, f"{function}({{0}})")
        if (
            function in RESULTS
            and function is not Function.TO_INTEGER
            and chance > 0.9
            and wanted is not Kind.MOMENT
        ):
            return f"({first}) IN ({second}, {inner(wanted)})"
        return f"({shape.format(first, second)})"

    def _operation(self, kind: Kind, inner: "object") -> str | None:
        assert callable(inner)
        found = []
        for operator, pairs in OPERATORS.items():
            own = (
                Kind.TEXT
                if operator is Operator.JOINED
                else Kind.NUMBER
                if operator in ARITHMETIC
                else Kind.TRUTH
            )
            if own is kind:
                found += [
                    (operator, one, other) for one, other in sorted(pairs) if Kind.NEW not in (one, other)
                ]
        if not found:
            return None
        operator, one, other = self.random.choice(found)
        if {one, other} == {Kind.MOMENT, Kind.TEXT}:
            literal = "'2024-01-01'"
            sides = (inner(one), literal) if other is Kind.TEXT else (literal, inner(other))
            return f"({sides[0]} {operator} {sides[1]})"
        return f"({inner(one)} {operator} {inner(other)})"


def random_file(random: Random) -> str:
    return Writer(random).write()
