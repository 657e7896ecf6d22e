-- Kinds of relations: partitions, inheritance, temporary, unlogged, views,
-- materialized views, row security; and what is left alone.
CREATE TABLE pt (id int, a int, b int, r int) PARTITION BY RANGE (r);
CREATE TABLE pt1 PARTITION OF pt FOR VALUES FROM (0) TO (10);
CREATE TABLE pt2 (b int, junk int, r int, id int, a int);
ALTER TABLE pt2 DROP COLUMN junk;
ALTER TABLE pt ATTACH PARTITION pt2 FOR VALUES FROM (10) TO (20);
CREATE TABLE pt3 PARTITION OF pt FOR VALUES FROM (20) TO (30) PARTITION BY LIST (a);
CREATE TABLE pt3a PARTITION OF pt3 FOR VALUES IN (0, 1);
CREATE TABLE pt3b PARTITION OF pt3 DEFAULT;
CREATE INDEX ON pt (a, id);
CREATE INDEX ON pt (b, id);
INSERT INTO pt SELECT g, g % 4, g % 5, g % 30 FROM generate_series(1, 6000) g;
VACUUM ANALYZE pt;
SELECT * FROM zz_check('SELECT * FROM pt WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT id FROM pt WHERE a = 1 AND b = 2 ORDER BY id');
SELECT * FROM zz_check('SELECT id FROM pt WHERE a = 1 AND b = 2 ORDER BY id DESC LIMIT 7');
SELECT * FROM zz_check('SELECT tableoid::regclass, * FROM pt WHERE a = 1 AND b = 2 AND r > 15');
SELECT * FROM zz_check('SELECT pt FROM pt WHERE a = 1 AND b = 2');
SET enable_partitionwise_join = on;
SELECT * FROM zz_check('SELECT x.id, y.r FROM pt x JOIN pt y ON x.r = y.r AND x.id = y.id WHERE x.a = 1 AND x.b = 2 AND y.a = 1 AND y.b = 2');
SELECT * FROM zz_check('SELECT x.id FROM pt x, LATERAL (SELECT * FROM pt y WHERE y.r = x.r AND y.id = x.id AND y.a = 1 AND y.b = 2 OFFSET 0) s WHERE x.a = 1 AND x.b = 2');
RESET enable_partitionwise_join;
CREATE TABLE parent (id int, a int, b int);
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO parent SELECT g, g % 4, g % 5 FROM generate_series(1, 500) g;
INSERT INTO child SELECT g, g % 4, g % 5, 'x' FROM generate_series(501, 1000) g;
CREATE INDEX parent_a ON parent (a); CREATE INDEX parent_b ON parent (b);
CREATE INDEX child_a ON child (a); CREATE INDEX child_b ON child (b);
ANALYZE parent, child;
SELECT * FROM zz_check('SELECT tableoid::regclass, * FROM parent WHERE a = 1 AND b = 2');
-- a table with children is left alone: its rows may be elsewhere, as in TimescaleDB
SELECT * FROM zz_check('SELECT * FROM ONLY parent WHERE a = 1 AND b = 2');
CREATE TEMP TABLE te (id int, a int, b int);
INSERT INTO te SELECT g, g % 4, g % 5 FROM generate_series(1, 1000) g;
CREATE INDEX ON te (a); CREATE INDEX ON te (b);
CREATE UNLOGGED TABLE un AS SELECT * FROM te;
CREATE INDEX ON un (a); CREATE INDEX ON un (b);
CREATE MATERIALIZED VIEW mv AS SELECT * FROM un WITH DATA;
CREATE INDEX ON mv (a); CREATE INDEX ON mv (b);
CREATE VIEW vi AS SELECT * FROM un WHERE a = 1;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM un WHERE a = 1;
ANALYZE;
SELECT * FROM zz_check('SELECT * FROM te WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT a, b FROM te WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT * FROM un WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT * FROM mv WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT * FROM vi WHERE b = 2');
SELECT * FROM zz_check('SELECT * FROM barrier WHERE b = 2');
-- a leaky condition is not asked before the barrier's
CREATE FUNCTION leak(int) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS
$$ BEGIN IF $1 % 4 <> 1 THEN RAISE WARNING 'leaked %', $1; END IF; RETURN true; END $$;
SELECT * FROM zz_check('SELECT * FROM barrier WHERE b = 2 AND leak(id)');
-- row security
CREATE ROLE zz_reader;
GRANT SELECT ON un TO zz_reader;
ALTER TABLE un ENABLE ROW LEVEL SECURITY;
CREATE POLICY only_a1 ON un FOR SELECT TO zz_reader USING (a = 1);
SET ROLE zz_reader;
SELECT * FROM zz_check('SELECT * FROM un WHERE b = 2');
SELECT * FROM zz_check('SELECT * FROM un WHERE b = 2 AND leak(id)');
RESET ROLE;
DROP OWNED BY zz_reader; DROP ROLE zz_reader;
-- other access methods and unusable indexes are no sides
CREATE TABLE am (id int, a int, b int, c int);
INSERT INTO am SELECT g, g % 4, g % 5, g % 6 FROM generate_series(1, 1000) g;
CREATE INDEX ON am USING hash (a);
CREATE INDEX ON am USING brin (b);
CREATE INDEX ON am (c);
ANALYZE am;
SELECT * FROM zz_check('SELECT * FROM am WHERE a = 1 AND b = 2 AND c = 3');
CREATE INDEX am_a ON am (a);
SELECT * FROM zz_check('SELECT * FROM am WHERE a = 1 AND b = 2 AND c = 3');
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'am_a'::regclass;
SELECT * FROM zz_check('SELECT * FROM am WHERE a = 1 AND b = 2 AND c = 3');
-- sampling, catalogs, functions
SELECT * FROM zz_check('SELECT * FROM te TABLESAMPLE system (100) WHERE a = 1 AND b = 2');
SELECT * FROM zz_check($$SELECT relname FROM pg_class WHERE relname = 'te' AND relnamespace = 11 AND oid = 5$$);
-- wide rows and dropped columns
CREATE TABLE wide (id int, gone int, a int, b int, big text);
ALTER TABLE wide ALTER big SET STORAGE EXTERNAL;
INSERT INTO wide SELECT g, g, g % 4, g % 5, repeat(g::text, 2000) FROM generate_series(1, 200) g;
CREATE INDEX ON wide (a); CREATE INDEX ON wide (b);
ALTER TABLE wide DROP COLUMN gone;
ALTER TABLE wide ADD COLUMN added int DEFAULT 7;
ANALYZE wide;
SELECT * FROM zz_check('SELECT id, md5(big), added FROM wide WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT wide FROM wide WHERE a = 1 AND b = 2 AND added = 7');
