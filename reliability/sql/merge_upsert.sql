-- violations at: read-committed repeatable-read
CREATE TABLE kv (k text PRIMARY KEY, v int NOT NULL);
-- transaction: put(x in 1..2)
MERGE INTO kv USING (VALUES ('a', :x)) AS s(k, v) ON kv.k = s.k
WHEN MATCHED THEN UPDATE SET v = kv.v + s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v);
