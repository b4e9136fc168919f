-- violations at:
CREATE TABLE r (id serial PRIMARY KEY, during int4range NOT NULL, EXCLUDE USING gist (during WITH &&));
-- transaction: put(a in 1..2)
INSERT INTO r (during) VALUES (int4range(:a, :a + 2));
