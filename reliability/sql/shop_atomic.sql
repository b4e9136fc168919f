-- violations at:
CREATE TABLE product (sku text PRIMARY KEY, stock int NOT NULL CHECK (stock >= 0), price numeric(8,2) NOT NULL);
INSERT INTO product VALUES ('a', 2, 9.99);
-- transaction: buy
UPDATE product SET stock = stock - 1 WHERE sku = 'a' AND stock > 0 RETURNING stock, price;
