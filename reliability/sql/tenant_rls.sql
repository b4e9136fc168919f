-- violations at:
CREATE TABLE doc (id int PRIMARY KEY, tenant int NOT NULL, n int NOT NULL);
INSERT INTO doc VALUES (1, 1, 0), (2, 2, 0);
ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
ALTER TABLE doc FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON doc USING (tenant = current_setting('app.tenant')::int);
-- transaction: bump(t in 1..2)
BEGIN;
SELECT set_config('app.tenant', :t::text, true);
UPDATE doc SET n = n + 1 WHERE true RETURNING id, n;
COMMIT;
