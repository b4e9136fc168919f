-- violations at:
CREATE TABLE jobs (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'available', attempt int NOT NULL DEFAULT 0, payload jsonb NOT NULL DEFAULT '{}', locked_at timestamptz);
INSERT INTO jobs (id, payload) VALUES (1, '{"a": 1}'), (2, '{"a": 2}');
-- transaction: fetch
UPDATE jobs SET state = 'executing', attempt = attempt + 1, locked_at = now()
 WHERE id = (SELECT id FROM jobs WHERE state = 'available' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
 RETURNING id, attempt;
-- transaction: complete(j in 1..2)
UPDATE jobs SET state = 'completed' WHERE id = :j AND state = 'executing';
