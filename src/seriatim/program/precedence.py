"""How tightly the operators bind: one table, for the parser and the printer."""

from enum import IntEnum

from seriatim.program.syntax import Connective, Operator


class Level(IntEnum):
    """What may stand unparenthesised where; a higher level binds tighter."""

    SEQUENCE = 0
    STATEMENT = 1
    ASSIGNMENT = 2
    OR = 3
    AND = 4
    NOT = 5
    COMPARISON = 6
    SUM = 7
    PRODUCT = 8
    PREFIX = 9
    PRIMARY = 10


LEVELS: dict[Operator | Connective, Level] = {
    Connective.OR: Level.OR,
    Connective.AND: Level.AND,
    Operator.EQUAL: Level.COMPARISON,
    Operator.UNEQUAL: Level.COMPARISON,
    Operator.LESS: Level.COMPARISON,
    Operator.LESS_EQUAL: Level.COMPARISON,
    Operator.GREATER: Level.COMPARISON,
    Operator.GREATER_EQUAL: Level.COMPARISON,
    Operator.ADD: Level.SUM,
    Operator.SUBTRACT: Level.SUM,
    Operator.MULTIPLY: Level.PRODUCT,
    Operator.MODULO: Level.PRODUCT,
}
