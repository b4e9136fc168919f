-- A counter that the application increments; the constraint stops it at 3.

CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL CHECK (n <= 3));
INSERT INTO counter VALUES (1, 0);

-- transaction: increment
BEGIN;
SELECT n FROM counter WHERE id = 1 \gset
UPDATE counter SET n = :n + 1 WHERE id = 1;
COMMIT;
