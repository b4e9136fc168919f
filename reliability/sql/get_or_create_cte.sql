-- violations at: read-committed
CREATE TABLE tag (id serial PRIMARY KEY, name text UNIQUE NOT NULL);
-- transaction: get
WITH ins AS (INSERT INTO tag (name) VALUES ('x') ON CONFLICT (name) DO NOTHING RETURNING name)
SELECT name FROM ins UNION ALL SELECT name FROM tag WHERE name = 'x';
