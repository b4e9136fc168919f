-- violations at:
CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
INSERT INTO account VALUES (1, 2), (2, 0);
-- transaction: transfer(a in 1..2, b in 1..2)
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = :a;
UPDATE account SET balance = balance + 1 WHERE id = :b;
COMMIT;
-- transaction: audit
SELECT sum(balance) FROM account;
