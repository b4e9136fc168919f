-- violations at: read-committed
CREATE TABLE tenant (id int PRIMARY KEY);
CREATE TABLE member (tenant int REFERENCES tenant ON DELETE CASCADE, who int, PRIMARY KEY (tenant, who));
INSERT INTO tenant VALUES (1);
-- transaction: join_tenant
BEGIN;
SELECT count(*) AS n FROM tenant WHERE id = 1 \gset
\if :n > 0
INSERT INTO member VALUES (1, 7);
\endif
COMMIT;
-- transaction: drop_tenant
DELETE FROM tenant WHERE id = 1;
