-- violations at: read-committed
CREATE TABLE score (who text PRIMARY KEY, pts int NOT NULL);
INSERT INTO score VALUES ('a', 1), ('b', 2);
-- transaction: board
BEGIN;
SELECT who, rank() OVER (ORDER BY pts DESC) AS r FROM score ORDER BY who;
SELECT who, rank() OVER (ORDER BY pts DESC) AS r FROM score ORDER BY who;
COMMIT;
-- transaction: win
UPDATE score SET pts = pts + 2 WHERE who = 'a';
