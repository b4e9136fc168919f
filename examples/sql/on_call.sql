-- Doctors may go home if somebody else stays. Each looks first; at REPEATABLE READ both may go.

CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctor VALUES (1, true), (2, true);

-- transaction: go_home(me in 1..2)
BEGIN;
SELECT count(*) AS staying FROM doctor WHERE on_call AND id <> :me \gset
\if :staying > 0
UPDATE doctor SET on_call = false WHERE id = :me;
\endif
COMMIT;
