-- violations at: repeatable-read
CREATE TABLE acct (id int PRIMARY KEY);
CREATE TABLE entry (id bigserial PRIMARY KEY, acct int NOT NULL REFERENCES acct, amount numeric(12,2) NOT NULL);
INSERT INTO acct VALUES (1), (2);
INSERT INTO entry (acct, amount) VALUES (1, 10.00);
-- transaction: transfer
BEGIN;
SELECT id FROM acct WHERE id = 1 FOR UPDATE;
SELECT coalesce(sum(amount), 0) >= 10 AS enough FROM entry WHERE acct = 1 \gset
\if :enough
INSERT INTO entry (acct, amount) VALUES (1, -10.00), (2, 10.00);
\endif
COMMIT;
