-- violations at:
CREATE TABLE sub (id serial PRIMARY KEY, who int NOT NULL, active boolean NOT NULL DEFAULT true);
CREATE UNIQUE INDEX one_active ON sub (who) WHERE active;
-- transaction: subscribe
INSERT INTO sub (who) VALUES (1) ON CONFLICT (who) WHERE active DO NOTHING;
-- transaction: cancel
UPDATE sub SET active = false WHERE who = 1 AND active;
