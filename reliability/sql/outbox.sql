-- violations at: read-committed
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic text, payload json, sent boolean NOT NULL DEFAULT false);
INSERT INTO account VALUES (1, 10);
-- transaction: pay
BEGIN;
UPDATE account SET balance = balance - 1 WHERE id = 1;
INSERT INTO outbox (topic, payload) VALUES ('paid', '{"id": 1}');
COMMIT;
-- transaction: relay
BEGIN;
SELECT count(*) FROM outbox WHERE NOT sent;
UPDATE outbox SET sent = true WHERE NOT sent;
COMMIT;
