-- violations at:
CREATE TYPE job_status AS ENUM ('todo', 'doing', 'succeeded');
CREATE TABLE job (id int PRIMARY KEY, queue_name text NOT NULL, lock text, status job_status NOT NULL DEFAULT 'todo');
INSERT INTO job VALUES (1, 'q', 'l', 'todo'), (2, 'q', 'l', 'todo');
CREATE FUNCTION fetch_job() RETURNS int LANGUAGE plpgsql AS $$
DECLARE found_id int;
BEGIN
  SELECT id INTO found_id FROM job j WHERE NOT EXISTS (SELECT 1 FROM job e WHERE e.lock = j.lock AND e.id < j.id AND e.status <> 'succeeded') AND status = 'todo' ORDER BY id LIMIT 1 FOR UPDATE OF j SKIP LOCKED;
  UPDATE job SET status = 'doing' WHERE id = found_id;
  RETURN found_id;
END $$;
-- transaction: fetch
SELECT fetch_job();
-- transaction: finish(i in 1..2)
UPDATE job SET status = 'succeeded' WHERE id = :i AND status = 'doing';
