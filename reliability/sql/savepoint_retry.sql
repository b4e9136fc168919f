-- violations at: read-committed
CREATE TABLE k (id int PRIMARY KEY, n int NOT NULL);
-- transaction: put
BEGIN;
SAVEPOINT s;
INSERT INTO k VALUES (1, 1);
ROLLBACK TO s;
INSERT INTO k VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = k.n + 1;
COMMIT;
