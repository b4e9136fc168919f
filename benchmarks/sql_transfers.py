"""Writes transactions that transfer money between any two of some rows, for `ser check --isolation LEVEL`.

python benchmarks/sql_transfers.py ROWS PATH [--locked]

A transfer reads a balance and then changes two; with `--locked` it first locks both rows, in order.
"""

import sys
from pathlib import Path

BODY = """SELECT balance FROM account WHERE id = :a \\gset
\\if :balance > 0
UPDATE account SET balance = balance - 1 WHERE id = :a;
UPDATE account SET balance = balance + 1 WHERE id = :b;
\\endif
"""
LOCKED = "SELECT id FROM account WHERE id IN (:a, :b) ORDER BY id FOR UPDATE;\n"


def transfers(rows: int, locked: bool) -> str:
    return (
        "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance BETWEEN 0 AND 3));\n"
        f"INSERT INTO account VALUES {', '.join(f'({n}, 1)' for n in range(1, rows + 1))};\n\n"
        f"-- transaction: transfer(a in 1..{rows}, b in 1..{rows})\n"
        f"BEGIN;\n{LOCKED if locked else ''}{BODY}COMMIT;\n"
    )


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(transfers(int(sys.argv[1]), "--locked" in sys.argv), "utf-8")
