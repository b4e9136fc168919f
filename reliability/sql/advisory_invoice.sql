-- violations at: repeatable-read
CREATE TABLE invoice (no int PRIMARY KEY, body text);
CREATE FUNCTION next_no() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
 PERFORM pg_advisory_xact_lock(42);
 RETURN (SELECT coalesce(max(no), 0) + 1 FROM invoice); END $$;
-- transaction: issue
BEGIN;
SELECT next_no() AS no \gset
INSERT INTO invoice VALUES (:no, 'b');
COMMIT;
