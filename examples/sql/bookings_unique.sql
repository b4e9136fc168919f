-- The same, with a constraint instead of a look: the second guest is told at once.

CREATE TABLE booking (room int, night int, guest int NOT NULL, PRIMARY KEY (room, night));

-- transaction: book(guest in 1..2)
INSERT INTO booking VALUES (1, 1, :guest) ON CONFLICT (room, night) DO NOTHING;
