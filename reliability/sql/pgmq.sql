-- violations at:
CREATE TABLE q (msg_id bigint PRIMARY KEY, read_ct int DEFAULT 0 NOT NULL, vt timestamptz NOT NULL, message jsonb);
INSERT INTO q VALUES (1, 0, '2020-01-01', '{}'), (2, 0, '2020-01-01', '{}');
-- transaction: read
WITH cte AS (SELECT msg_id FROM q WHERE vt <= clock_timestamp() ORDER BY msg_id ASC LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE q m SET vt = clock_timestamp() + interval '30 seconds', read_ct = read_ct + 1 FROM cte WHERE m.msg_id = cte.msg_id RETURNING m.msg_id, m.read_ct;
-- transaction: archive(i in 1..2)
DELETE FROM q WHERE msg_id = :i;
