-- violations at: read-committed
CREATE TABLE hits (page text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
INSERT INTO hits VALUES ('a', 0);
-- transaction: hit
BEGIN;
SELECT n FROM hits WHERE page = 'a' \gset
UPDATE hits SET n = :n + 1 WHERE page = 'a';
COMMIT;
