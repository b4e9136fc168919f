-- violations at: read-committed repeatable-read
CREATE TABLE tenant (id int PRIMARY KEY, quota int NOT NULL);
CREATE TABLE project (id serial PRIMARY KEY, tenant int NOT NULL REFERENCES tenant ON DELETE CASCADE, name text);
INSERT INTO tenant VALUES (1, 1);
-- transaction: create_project(n in {'a', 'b'})
BEGIN;
SELECT (SELECT count(*) FROM project WHERE tenant = 1) < quota AS ok FROM tenant WHERE id = 1 \gset
\if :ok
INSERT INTO project (tenant, name) VALUES (1, :'n');
\endif
COMMIT;
