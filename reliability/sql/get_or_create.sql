-- violations at: read-committed repeatable-read
CREATE TABLE tag (id serial PRIMARY KEY, name text UNIQUE NOT NULL);
-- transaction: get
BEGIN;
SELECT count(*) AS n FROM tag WHERE name = 'x' \gset
\if :n = 0
INSERT INTO tag (name) VALUES ('x');
\endif
SELECT name FROM tag WHERE name = 'x';
COMMIT;
