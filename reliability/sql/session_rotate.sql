-- violations at: read-committed
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE TABLE session (token uuid PRIMARY KEY DEFAULT gen_random_uuid(), who int NOT NULL);
INSERT INTO session (who) VALUES (1);
-- transaction: rotate
BEGIN;
DELETE FROM session WHERE who = 1;
INSERT INTO session (who) VALUES (1);
COMMIT;
