-- Workers take the next job that nobody else has, and mark it as done. SKIP LOCKED passes over the jobs of others, and
-- still the workers answer what they would answer one at a time.

CREATE TABLE job (id int PRIMARY KEY, done boolean NOT NULL);
INSERT INTO job VALUES (1, false), (2, false);

-- transaction: work
BEGIN;
SELECT id FROM job WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
UPDATE job SET done = true WHERE id = :id;
COMMIT;
