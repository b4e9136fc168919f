"""The premises of a proof by one order, by name.

Claim (inductive sequentialization, with gates that may look at what is pending). Let M be the action
`main`, E the ordered actions, and A* the abstraction of each A in E. If all premises hold, then every
terminating run of the program has the initial and final globals of a run that executes `main` and then,
always, the least pending instance of E; and if some run of the program fails, a run of the latter kind
fails.

Why it holds: take a run of the program and its longest prefix that follows the order. The least pending
instance A(k) satisfies its gate there (I3), keeps satisfying it while others run (LM1), and so can be
exchanged to the left with each of them (LM3, LM2 for those that fail later) until it comes next. Where the
run never executes it, it can be inserted (LM4), and a measure that it lowers (CO) ends this after finitely
many insertions.
"""

from enum import StrEnum


class Premise(StrEnum):
    ABSTRACTION = "AB"
    INITIAL = "I1"
    ORDER = "I3"
    END = "I2"
    ALWAYS = "J"
    KEEPS_GATE = "LM1"
    NO_REPAIR = "LM2"
    COMMUTES = "LM3"
    NOT_BLOCKED = "LM4"
    COOPERATION = "CO"
    SATISFIABLE = "SAT"
