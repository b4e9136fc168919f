-- violations at: read-committed
CREATE TABLE bucket (who int PRIMARY KEY, tokens real NOT NULL, at timestamptz NOT NULL);
INSERT INTO bucket VALUES (1, 1, '2020-01-01');
-- transaction: take
BEGIN;
SELECT tokens >= 1 AS ok FROM bucket WHERE who = 1 \gset
\if :ok
UPDATE bucket SET tokens = tokens - 1, at = now() WHERE who = 1;
\endif
COMMIT;
