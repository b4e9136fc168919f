-- violations at: read-committed
CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL);
INSERT INTO account VALUES (1, 1), (2, 1);
-- transaction: move
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = 1 AND balance > 0;
UPDATE account SET balance = balance + 1 WHERE id = 2 AND balance < 2;
COMMIT;
-- transaction: audit
BEGIN;
SELECT balance FROM account WHERE id = 1;
SELECT balance FROM account WHERE id = 2;
COMMIT;
