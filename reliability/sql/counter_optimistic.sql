-- violations at: read-committed
CREATE TABLE doc (id int PRIMARY KEY, version int NOT NULL, body text);
INSERT INTO doc VALUES (1, 1, 'x');
-- transaction: edit(b in {'y', 'z'})
BEGIN;
SELECT version FROM doc WHERE id = 1 \gset
UPDATE doc SET body = :'b', version = version + 1 WHERE id = 1 AND version = :version;
COMMIT;
