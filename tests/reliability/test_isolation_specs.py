"""The comparison with expected outputs of isolation specs: what agrees is accepted, what differs is told."""

from collections import Counter

import pytest

from isolation_specs import differences
from seriatim.source import SourceText

SPEC = """setup { CREATE TABLE a (i int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 0); }
session s1
step w1 { UPDATE a SET v = 1; }
session s2
step b2 { BEGIN; }
step r2 { SELECT * FROM a; }
step d2 { INSERT INTO a VALUES (1, 2); }
step c2 { COMMIT; }
permutation w1 b2 r2 d2 c2
"""
OUTPUT = """Parsed test spec with 2 sessions

starting permutation: w1 b2 r2 d2 c2
step w1: UPDATE a SET v = 1;
step b2: BEGIN;
step r2: SELECT * FROM a;
i|v
-+-
1|1
(1 row)

step d2: INSERT INTO a VALUES (1, 2);
ERROR:  duplicate key value violates unique constraint "a_pkey"
step c2: COMMIT;
"""


@pytest.mark.parametrize(
    ("output", "result"),
    [
        (OUTPUT, "agree"),
        (OUTPUT.replace("1|1", "1|0"), "agree"),
        (OUTPUT.replace("1|1", "1|2"), "differ"),
        (OUTPUT.replace("1|1\n(1 row)", "(0 rows)"), "differ"),
        (OUTPUT.replace('ERROR:  duplicate key value violates unique constraint "a_pkey"\n', ""), "differ"),
        (OUTPUT.replace("duplicate key value", "could not serialize access"), "with aborts or messages"),
    ],
    ids=["printed", "another order", "no such row", "no row", "no error", "an abort"],
)
def test_an_output_is_looked_up_among_the_runs(output: str, result: str) -> None:
    counts = Counter[str]()
    told = list(differences(SourceText("x.spec", SPEC), output, counts))
    assert counts == {"permutations": 1, result: 1}
    assert told == (["w1 b2 r2 d2 c2"] if result == "differ" else [])
