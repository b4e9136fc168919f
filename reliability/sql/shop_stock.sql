-- violations at: read-committed
CREATE TABLE product (sku text PRIMARY KEY, stock int NOT NULL CHECK (stock >= 0), price numeric(8,2) NOT NULL);
CREATE TABLE orders (id bigserial PRIMARY KEY, sku text REFERENCES product, qty int NOT NULL, total numeric(8,2));
INSERT INTO product VALUES ('a', 1, 9.99);
-- transaction: buy
BEGIN;
SELECT stock FROM product WHERE sku = 'a' \gset
\if :stock > 0
INSERT INTO orders (sku, qty, total) SELECT sku, 1, price FROM product WHERE sku = 'a';
UPDATE product SET stock = stock - 1 WHERE sku = 'a';
\endif
COMMIT;
