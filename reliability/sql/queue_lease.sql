-- violations at: read-committed
CREATE TABLE jobs (id int PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT '2020-01-01', locked_by text, locked_at timestamptz);
INSERT INTO jobs VALUES (1, '2020-01-01', NULL, NULL);
-- transaction: reserve(w in {'a', 'b'})
BEGIN;
SELECT count(*) AS n FROM jobs WHERE run_at <= now() AND (locked_at IS NULL OR locked_at < now() - interval '4 hours') AND id = 1 \gset
\if :n > 0
UPDATE jobs SET locked_by = :'w', locked_at = now() WHERE id = 1;
\endif
COMMIT;
