-- violations at:
CREATE TABLE c (n int NOT NULL);
INSERT INTO c VALUES (0);
-- transaction: inc
BEGIN;
SELECT pg_advisory_xact_lock(1);
SELECT n FROM c \gset
UPDATE c SET n = (:n + 1) % 3;
COMMIT;
