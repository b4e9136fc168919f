-- Stock is taken by one statement that looks and subtracts: no order gets what is not there.

CREATE TABLE stock (item int PRIMARY KEY, pieces int NOT NULL CHECK (pieces >= 0));
INSERT INTO stock VALUES (1, 2), (2, 1);

-- transaction: take(item in 1..2)
UPDATE stock SET pieces = pieces - 1 WHERE item = :item AND pieces > 0 RETURNING pieces;
