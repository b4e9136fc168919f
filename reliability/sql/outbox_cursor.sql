-- violations at: read-committed
CREATE TABLE event (seq bigserial PRIMARY KEY, body text);
CREATE TABLE cursor_pos (id int PRIMARY KEY, pos bigint NOT NULL);
INSERT INTO cursor_pos VALUES (1, 0);
-- transaction: publish
INSERT INTO event (body) VALUES ('e');
-- transaction: consume
BEGIN;
SELECT count(*) AS n FROM event WHERE seq > (SELECT pos FROM cursor_pos WHERE id = 1);
UPDATE cursor_pos SET pos = (SELECT coalesce(max(seq), 0) FROM event) WHERE id = 1;
COMMIT;
