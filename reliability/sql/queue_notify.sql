-- violations at:
CREATE TABLE task (id serial PRIMARY KEY, body text);
-- transaction: add
BEGIN;
INSERT INTO task (body) VALUES ('x') RETURNING id;
NOTIFY tasks;
COMMIT;
-- transaction: drain
DELETE FROM task WHERE id IN (SELECT id FROM task ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING body;
