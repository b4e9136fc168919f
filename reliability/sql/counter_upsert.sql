-- violations at:
CREATE TABLE hits (page text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
-- transaction: hit(p in {'a', 'b'})
INSERT INTO hits VALUES (:'p', 1) ON CONFLICT (page) DO UPDATE SET n = hits.n + excluded.n RETURNING n;
