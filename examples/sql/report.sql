-- A report reads while a batch is closed: at REPEATABLE READ, reading alone can show what no order explains.

CREATE TABLE control (id int PRIMARY KEY, batch int NOT NULL);
CREATE TABLE receipt (id int PRIMARY KEY, batch int NOT NULL);
INSERT INTO control VALUES (1, 1);

-- transaction: receive once
BEGIN;
SELECT batch FROM control WHERE id = 1 \gset
INSERT INTO receipt VALUES (1, :batch);
COMMIT;

-- transaction: close_batch once
UPDATE control SET batch = 2 WHERE id = 1;

-- transaction: report once
BEGIN;
SELECT batch FROM control WHERE id = 1;
SELECT count(*) AS n FROM receipt WHERE batch = 1;
COMMIT;
