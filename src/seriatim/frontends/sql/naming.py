"""Names of answers and states, for people and for certificates."""

from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.requests import value_text
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.states import Answer, Database
from seriatim.frontends.sql.terms import TIED

TIED_WITH = "tied with"


def answers_name(answers: tuple[Answer, ...]) -> str:
    return "; ".join(answer_name(each) for each in answers) or "done"


def answer_name(answer: Answer) -> str:
    match answer:
        case int():
            return f"{answer} row" if answer == 1 else f"{answer} rows"
        case str():
            return f"error {answer}"
        case ():
            return "nothing"
        case _:
            return " ".join(
                TIED_WITH if row == TIED else "(" + ", ".join(map(value_text, row)) + ")" for row in answer
            )


def tables_name(machine: Machine, database: Database) -> str:
    """The rows of all tables."""
    named = rename_values(tuple(row for _, row in rows) for rows in database.tables)
    return "; ".join(
        f"{table.name}: {answer_name(rows)}" for table, rows in zip(machine.tables, named, strict=True)
    )


def database_name(machine: Machine, database: Database) -> str:
    if database.closed:
        return "closed"
    notes = [claim_name(claim, count) for claim, count in database.claims]
    again = [
        f"{table.name}{key} again {number}"
        for table, rows in zip(machine.tables, database.tables, strict=True)
        for (key, number), _ in rows
        if number
    ]
    return "; ".join([_rows_with_numbers(machine, database), *again, *notes])


def _rows_with_numbers(machine: Machine, database: Database) -> str:
    """The rows of all tables, with the values of sequences that they have in this state."""
    return "; ".join(
        f"{table.name}: {answer_name(tuple(row for _, row in rows))}"
        for table, rows in zip(machine.tables, database.tables, strict=True)
    )


def claim_name(claim: Claim, count: int) -> str:
    resource, mode = claim
    if mode is Mark.DONE:
        return f"{resource[1]} has run"
    return f"{mode} {' '.join(map(str, resource))} ×{count}"
