-- violations at: read-committed repeatable-read serializable
CREATE TABLE cron (name text PRIMARY KEY, runs int NOT NULL);
INSERT INTO cron VALUES ('a', 0);
-- transaction: tick
BEGIN;
SELECT pg_try_advisory_xact_lock(7) AS got \gset
\if :got
UPDATE cron SET runs = runs + 1 WHERE name = 'a';
\endif
COMMIT;
