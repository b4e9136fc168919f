-- violations at:
CREATE TABLE u (name text PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION up(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
 LOOP
  UPDATE u SET n = n + 1 WHERE name = t;
  IF found THEN RETURN; END IF;
  BEGIN INSERT INTO u VALUES (t, 1); RETURN; EXCEPTION WHEN unique_violation THEN END;
 END LOOP; END $$;
-- transaction: up
SELECT up('a');
