-- Entries whose rows are dead to everyone are marked by a scan, and passed over by
-- the next one.  Twice the entries that a query loads from the indexes, and the
-- rows it looks at to see whether they are visible: fewer?
CREATE FUNCTION zz_work(query text, OUT entries int, OUT fetches int) LANGUAGE plpgsql AS $$
DECLARE plan text;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
  SELECT sum(m[1]::int) INTO entries FROM regexp_matches(plan, '"Steps": (\d+)', 'g') m;
  fetches := substring(plan, '"Heap Fetches": (\d+)')::int;
END $$;
CREATE FUNCTION zz_twice(query text, OUT fewer_entries bool, OUT fewer_fetches bool) LANGUAGE plpgsql AS $$
DECLARE
  one record;
  two record;
BEGIN
  one := zz_work(query);
  two := zz_work(query);
  fewer_entries := two.entries < one.entries;
  fewer_fetches := two.fetches < one.fetches;
END $$;
SET zigzag.debug_force = on;
SET enable_seqscan = off;

CREATE TABLE queue (id int, kind int, state text, at int);
INSERT INTO queue SELECT g, g % 2, 'ready', g / 2 FROM generate_series(1, 6000) g;
CREATE INDEX queue_kind ON queue (kind);
CREATE INDEX queue_state ON queue (state);
VACUUM ANALYZE queue;
-- posting lists: those that are dead as a whole
DELETE FROM queue WHERE id BETWEEN 1000 AND 3000;
SELECT * FROM zz_twice('SELECT * FROM queue WHERE kind = 1 AND state = ''ready''');
SELECT * FROM zz_check('SELECT * FROM queue WHERE kind = 1 AND state = ''ready''');
DELETE FROM queue WHERE id BETWEEN 4000 AND 5500;
SELECT * FROM zz_twice('SELECT count(*) FROM queue WHERE kind = 0 AND state = ''ready''');
SELECT * FROM zz_check('SELECT count(*) FROM queue WHERE kind = 0 AND state = ''ready''');

-- in order, either way, as far as a LIMIT goes; an update leaves entries, too
CREATE INDEX queue_kind_at ON queue (kind, at);
CREATE INDEX queue_state_at ON queue (state, at);
UPDATE queue SET state = 'done' WHERE at < 400 OR at > 2900;
SELECT * FROM zz_twice('SELECT * FROM queue WHERE kind = 1 AND state = ''ready'' ORDER BY at LIMIT 3');
SELECT * FROM zz_twice('SELECT at FROM queue WHERE kind = 1 AND state = ''ready'' ORDER BY at DESC LIMIT 3');
SELECT * FROM zz_check('SELECT at FROM queue WHERE kind = 1 AND state = ''ready'' ORDER BY at');
SELECT * FROM zz_check('SELECT at FROM queue WHERE kind = 1 AND state = ''ready'' ORDER BY at DESC');

-- of one list some rows are dead: nothing may be marked
CREATE TABLE parts (id int, a int, b int);
INSERT INTO parts SELECT g, 1, 1 FROM generate_series(1, 100) g;
CREATE INDEX parts_a ON parts (a);
CREATE INDEX parts_b ON parts (b);
DELETE FROM parts WHERE id % 2 = 0;
SELECT * FROM zz_twice('SELECT count(*) FROM parts WHERE a = 1 AND b = 1');
SELECT * FROM zz_check('SELECT count(*) FROM parts WHERE a = 1 AND b = 1');

-- without WAL nobody could tell whether a page has changed
CREATE UNLOGGED TABLE quick AS SELECT * FROM queue;
CREATE TEMP TABLE mine AS SELECT * FROM queue;
CREATE INDEX quick_kind_at ON quick (kind, at);
CREATE INDEX quick_state_at ON quick (state, at);
CREATE INDEX mine_kind_at ON mine (kind, at);
CREATE INDEX mine_state_at ON mine (state, at);
DELETE FROM quick WHERE at < 1000;
DELETE FROM mine WHERE at < 1000;
SELECT * FROM zz_twice('SELECT * FROM quick WHERE kind = 1 AND state = ''ready'' ORDER BY at LIMIT 3');
SELECT * FROM zz_twice('SELECT * FROM mine WHERE kind = 1 AND state = ''ready'' ORDER BY at LIMIT 3');
SELECT * FROM zz_check('SELECT * FROM quick WHERE kind = 1 AND state = ''ready''');
SELECT * FROM zz_check('SELECT * FROM mine WHERE kind = 1 AND state = ''ready''');

DROP TABLE queue, parts, quick, mine;
DROP FUNCTION zz_twice, zz_work;
