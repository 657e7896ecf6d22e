-- Posting lists: a batch may hold a part of a long one, a seek may end within.
CREATE TABLE lists (id int, every int, rare int, t text, i int, made timestamp, pad text);
INSERT INTO lists SELECT g, 1, (zz_hash(g, 1, 60) = 7)::int, 'v' || zz_hash(g, 2, 3), zz_hash(g, 3, 2), 'infinity', repeat('p', 20)
FROM generate_series(1, 12000) g;
CREATE INDEX lists_every ON lists (every);
CREATE INDEX lists_rare ON lists (rare);
VACUUM ANALYZE lists;
SELECT * FROM zz_check('SELECT * FROM lists WHERE every = 1 AND rare = 1');
SELECT * FROM zz_check('SELECT count(*) FROM lists WHERE every = 1 AND rare = 1');
SELECT * FROM zz_check('SELECT count(*) FROM lists WHERE every = 1 AND rare = 0');
DROP INDEX lists_every, lists_rare;

-- a suffix whose images tell nothing, in both directions
CREATE INDEX lists_every ON lists (every, t DESC NULLS LAST);
CREATE INDEX lists_rare ON lists (rare, t DESC NULLS LAST);
SELECT * FROM zz_check('SELECT t FROM lists WHERE every = 1 AND rare = 1 ORDER BY t');
SELECT * FROM zz_check('SELECT t FROM lists WHERE every = 1 AND rare = 1 ORDER BY t DESC NULLS LAST');
SELECT * FROM zz_check('SELECT * FROM lists WHERE every = 1 AND rare = 1');
DROP INDEX lists_every, lists_rare;

-- one whose images decide, and one whose image may be that of NULL, too
CREATE INDEX lists_every ON lists (every, i);
CREATE INDEX lists_rare ON lists (rare, i);
SELECT * FROM zz_check('SELECT i FROM lists WHERE every = 1 AND rare = 1 ORDER BY i');
SELECT * FROM zz_check('SELECT i FROM lists WHERE every = 1 AND rare = 1 ORDER BY i DESC');
SELECT * FROM zz_check('SELECT * FROM lists WHERE every = 1 AND rare = 1');
DROP INDEX lists_every, lists_rare;
CREATE INDEX lists_every ON lists (every, made);
CREATE INDEX lists_rare ON lists (rare, made);
UPDATE lists SET made = NULL WHERE id % 2 = 0;
SELECT * FROM zz_check('SELECT made FROM lists WHERE every = 1 AND rare = 1 ORDER BY made');
SELECT * FROM zz_check('SELECT made FROM lists WHERE every = 1 AND rare = 1 ORDER BY made DESC');
SELECT * FROM zz_check('SELECT * FROM lists WHERE every = 1 AND rare = 1');
