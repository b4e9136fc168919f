-- A room is booked after a look at the calendar: is it free? Two guests may both find it free.

CREATE TABLE booking (room int, night int, guest int NOT NULL);
-- ser: booking has at most 2 rows

-- transaction: book(guest in 1..2)
BEGIN;
SELECT count(*) AS taken FROM booking WHERE room = 1 AND night = 1 \gset
\if :taken = 0
INSERT INTO booking VALUES (1, 1, :guest);
\endif
COMMIT;
