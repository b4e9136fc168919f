-- The same with FOR UPDATE: nobody else reads the wallet to change it until this transaction is over.

CREATE TABLE wallet (id int PRIMARY KEY, coins int NOT NULL);
INSERT INTO wallet VALUES (1, 2);

-- transaction: spend
BEGIN;
SELECT coins FROM wallet WHERE id = 1 FOR UPDATE \gset
\if :coins > 0
UPDATE wallet SET coins = :coins - 1 WHERE id = 1;
\endif
COMMIT;
