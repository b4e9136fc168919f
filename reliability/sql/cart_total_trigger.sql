-- violations at: read-committed
CREATE TABLE cart (id int PRIMARY KEY, total numeric NOT NULL DEFAULT 0);
CREATE TABLE item (id bigserial PRIMARY KEY, cart int NOT NULL REFERENCES cart ON DELETE CASCADE, price numeric NOT NULL);
INSERT INTO cart VALUES (1, 0);
CREATE FUNCTION retotal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
 UPDATE cart SET total = (SELECT coalesce(sum(price), 0) FROM item WHERE cart = NEW.cart) WHERE id = NEW.cart; RETURN NEW; END $$;
CREATE TRIGGER t AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION retotal();
-- transaction: add(p in 1..2)
INSERT INTO item (cart, price) VALUES (1, :p);
