-- violations at: read-committed repeatable-read
CREATE TABLE friend (a int, b int, PRIMARY KEY (a, b));
-- transaction: befriend(x in 1..2, y in 1..2)
BEGIN;
SELECT count(*) AS n FROM friend WHERE a = :y AND b = :x \gset
\if :n = 0
INSERT INTO friend VALUES (:x, :y) ON CONFLICT DO NOTHING;
\endif
COMMIT;
