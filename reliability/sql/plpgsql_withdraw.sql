-- violations at: read-committed
CREATE TABLE wallet (id int PRIMARY KEY, coins int NOT NULL);
INSERT INTO wallet VALUES (1, 1);
CREATE FUNCTION withdraw() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
 SELECT coins INTO c FROM wallet WHERE id = 1;
 IF c > 0 THEN UPDATE wallet SET coins = c - 1 WHERE id = 1; RETURN true; END IF;
 RETURN false;
END $$;
-- transaction: take
SELECT withdraw();
