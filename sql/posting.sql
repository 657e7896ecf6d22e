-- Posting lists: a batch may hold a part of a long one, a seek may end within.
CREATE TABLE po (id int, every int, rare int, t text, i int, made timestamp, pad text);
INSERT INTO po SELECT g, 1, (zz_hash(g, 1, 60) = 7)::int, 'v' || zz_hash(g, 2, 3), zz_hash(g, 3, 2), 'infinity', repeat('p', 20)
FROM generate_series(1, 12000) g;
CREATE INDEX po_every ON po (every);
CREATE INDEX po_rare ON po (rare);
VACUUM ANALYZE po;
SELECT * FROM zz_check('SELECT * FROM po WHERE every = 1 AND rare = 1');
SELECT * FROM zz_check('SELECT count(*) FROM po WHERE every = 1 AND rare = 1');
SELECT * FROM zz_check('SELECT count(*) FROM po WHERE every = 1 AND rare = 0');
DROP INDEX po_every, po_rare;

-- a suffix whose images tell nothing, in both directions
CREATE INDEX po_every ON po (every, t DESC NULLS LAST);
CREATE INDEX po_rare ON po (rare, t DESC NULLS LAST);
SELECT * FROM zz_check('SELECT t FROM po WHERE every = 1 AND rare = 1 ORDER BY t');
SELECT * FROM zz_check('SELECT t FROM po WHERE every = 1 AND rare = 1 ORDER BY t DESC NULLS LAST');
SELECT * FROM zz_check('SELECT * FROM po WHERE every = 1 AND rare = 1');
DROP INDEX po_every, po_rare;

-- one whose images decide, and one whose image may be that of NULL, too
CREATE INDEX po_every ON po (every, i);
CREATE INDEX po_rare ON po (rare, i);
SELECT * FROM zz_check('SELECT i FROM po WHERE every = 1 AND rare = 1 ORDER BY i');
SELECT * FROM zz_check('SELECT i FROM po WHERE every = 1 AND rare = 1 ORDER BY i DESC');
SELECT * FROM zz_check('SELECT * FROM po WHERE every = 1 AND rare = 1');
DROP INDEX po_every, po_rare;
CREATE INDEX po_every ON po (every, made);
CREATE INDEX po_rare ON po (rare, made);
UPDATE po SET made = NULL WHERE id % 2 = 0;
SELECT * FROM zz_check('SELECT made FROM po WHERE every = 1 AND rare = 1 ORDER BY made');
SELECT * FROM zz_check('SELECT made FROM po WHERE every = 1 AND rare = 1 ORDER BY made DESC');
SELECT * FROM zz_check('SELECT * FROM po WHERE every = 1 AND rare = 1');
