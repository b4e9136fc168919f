-- violations at: read-committed repeatable-read
CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL, during tstzrange NOT NULL);
-- transaction: book
BEGIN;
SELECT count(*) AS n FROM booking WHERE room = 1 AND during && '[2024-01-01, 2024-01-02)' \gset
\if :n = 0
INSERT INTO booking (room, during) VALUES (1, '[2024-01-01, 2024-01-02)');
\endif
COMMIT;
