-- violations at:
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL, deleted_at timestamptz);
INSERT INTO users VALUES (1, 'a@x', NULL);
-- transaction: remove
UPDATE users SET deleted_at = now() WHERE id = 1 AND deleted_at IS NULL;
-- transaction: login
SELECT id FROM users WHERE lower(email) = 'a@x' AND deleted_at IS NULL;
