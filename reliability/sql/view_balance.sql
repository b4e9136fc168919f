-- violations at: read-committed repeatable-read
CREATE TABLE tx (id int PRIMARY KEY, acct int, amt int);
INSERT INTO tx VALUES (1, 1, 5);
CREATE VIEW bal AS SELECT acct, sum(amt) AS b FROM tx GROUP BY acct;
-- transaction: spend(i in 2..3)
BEGIN;
SELECT b FROM bal WHERE acct = 1 \gset
\if :b >= 5
INSERT INTO tx VALUES (:i, 1, -5);
\endif
COMMIT;
