"""Parcels: every violation needs exponentially many requests."""

from families.family import Family
from families.writing import code, handler, program

STEPS = 5
"""Of a round of packing: three parcels leave, then two of the next kind arrive."""


def packing_broken(size: int) -> str:
    """Three parcels of a kind are packed into two of the next, again and again; all of them have to leave, so
    that it takes 3ⁿ parcels of the first kind. Those of the last one answer what nobody alone can answer."""
    stages = range(size)
    first = handler("parcel0", BY_ITSELF, "await STEP == 0", "yield", leaves(0), "return 0")
    between = (
        handler(f"parcel{kind}", BY_ITSELF, arrives(kind - 1), "yield", leaves(kind), "return 0")
        for kind in stages[1:]
    )
    last_step = size * STEPS + 1
    last = handler(
        f"parcel{size}", BY_ITSELF, arrives(size - 1), "yield", f"await STEP == {last_step}", "return 1"
    )
    turns = " or ".join(f"STEP == {stage * STEPS + 1}" for stage in stages)
    turn = handler(
        "next_kind",
        code(f"""
            await STEP == 0 or {turns}
            if STEP == 0:
                STEP := 1
            else:
                STEP := STEP + {STEPS}
        """),
        "return 0",
    )
    return program((first, *between, last, turn))


BY_ITSELF = code("""
    if ?:
        return 0
""")


def leaves(stage: int) -> str:
    steps = " or ".join(f"STEP == {stage * STEPS + step}" for step in (1, 2, 3))
    return f"await {steps}\nSTEP := STEP + 1"


def arrives(stage: int) -> str:
    one, other = stage * STEPS + 4, stage * STEPS + 5
    return code(f"""
        await STEP == {one} or STEP == {other}
        if STEP == {one}:
            STEP := {other}
        else:
            STEP := {stage * STEPS + 1}
    """)


PACKING = (Family(packing_broken, False, (1, 2)),)
