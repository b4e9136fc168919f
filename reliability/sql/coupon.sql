-- violations at: read-committed
CREATE TABLE coupon (code text PRIMARY KEY, uses int NOT NULL DEFAULT 0, max_uses int NOT NULL);
CREATE TABLE redemption (code text, who int, UNIQUE (code, who));
INSERT INTO coupon VALUES ('X', 0, 1);
-- transaction: redeem(w in 1..2)
BEGIN;
SELECT uses < max_uses AS ok FROM coupon WHERE code = 'X' \gset
\if :ok
INSERT INTO redemption VALUES ('X', :w) ON CONFLICT DO NOTHING;
UPDATE coupon SET uses = uses + 1 WHERE code = 'X';
\endif
COMMIT;
