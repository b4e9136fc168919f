-- violations at:
CREATE TABLE a (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO a VALUES (1, 0); INSERT INTO b VALUES (1, 1);
-- transaction: copy
UPDATE a SET v = a.v + b.v FROM b WHERE a.id = b.id RETURNING a.v;
-- transaction: grow
UPDATE b SET v = 3 - v;
