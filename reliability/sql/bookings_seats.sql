-- violations at:
CREATE TABLE seat (flight int, no text, taken_by uuid, PRIMARY KEY (flight, no));
INSERT INTO seat VALUES (1, '1A', NULL), (1, '1B', NULL);
-- transaction: take
BEGIN;
SELECT no FROM seat WHERE flight = 1 AND taken_by IS NULL ORDER BY no LIMIT 1 FOR UPDATE \gset
UPDATE seat SET taken_by = gen_random_uuid() WHERE flight = 1 AND no = :'no';
COMMIT;
