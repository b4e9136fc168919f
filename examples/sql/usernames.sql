-- "This name is free" is a promise that nobody keeps, unless a constraint does.

CREATE TABLE account (name text PRIMARY KEY);

-- transaction: register(name in {'ann', 'bob'})
BEGIN;
SELECT count(*) AS n FROM account WHERE name = :'name' \gset
\if :n = 0
INSERT INTO account VALUES (:'name');
\endif
COMMIT;
