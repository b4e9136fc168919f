-- violations at: read-committed
CREATE TABLE post (id int PRIMARY KEY, likes int NOT NULL DEFAULT 0);
CREATE TABLE likes (post int REFERENCES post, who int, PRIMARY KEY (post, who));
INSERT INTO post VALUES (1, 0);
-- transaction: like_it(w in 1..2)
BEGIN;
INSERT INTO likes VALUES (1, :w) ON CONFLICT DO NOTHING;
UPDATE post SET likes = (SELECT count(*) FROM likes WHERE post = 1) WHERE id = 1;
COMMIT;
