-- violations at:
CREATE TABLE p (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, pid int, old int, new int, at timestamptz DEFAULT now());
INSERT INTO p VALUES (1, 0);
CREATE FUNCTION w() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (pid, old, new) VALUES (OLD.id, OLD.v, NEW.v); RETURN NEW; END $$;
CREATE TRIGGER t BEFORE UPDATE ON p FOR EACH ROW EXECUTE FUNCTION w();
-- transaction: set_v(x in 1..2)
UPDATE p SET v = :x WHERE id = 1;
