-- Values known only at run time.
CREATE TABLE par (id int, a int, b text, c int8);
INSERT INTO par SELECT g, g % 7, 'b' || g % 5, g % 3 FROM generate_series(1, 2100) g;
CREATE INDEX par_a ON par (a);
CREATE INDEX par_b ON par (b);
CREATE INDEX par_c ON par (c);
CREATE INDEX par_aid ON par (a, id);
CREATE INDEX par_bid ON par (b, id);
VACUUM ANALYZE par;
SET zigzag.debug_force = on;
SET plan_cache_mode = force_generic_plan;
PREPARE q (int, text) AS SELECT count(*), sum(id) FROM par WHERE a = $1 AND b = $2;
SELECT * FROM zz_explain($$EXECUTE q(1, 'b2')$$);
EXECUTE q (1, 'b2');
EXECUTE q (2, 'b2');
EXECUTE q (NULL, 'b2');
EXECUTE q (99, 'b2');
SET zigzag.enable = off;
SELECT count(*), sum(id) FROM par WHERE a = 1 AND b = 'b2';
SELECT count(*), sum(id) FROM par WHERE a = 2 AND b = 'b2';
SET zigzag.enable = on;
PREPARE ordered (int, text, int) AS SELECT id FROM par WHERE a = $1 AND b = $2 ORDER BY id DESC LIMIT $3;
EXECUTE ordered (1, 'b2', 3);
EXECUTE ordered (3, 'b0', 2);
PREPARE mixed (int8, int2) AS SELECT count(*) FROM par WHERE a = $1 AND c = $2;
EXECUTE mixed (1, 2);
SET plan_cache_mode = auto;
-- stable functions, InitPlans, expressions
CREATE FUNCTION stable_one() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
CREATE FUNCTION volatile_one() RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
SELECT * FROM zz_check($$SELECT * FROM par WHERE a = stable_one() AND b = 'b2'$$);
SELECT * FROM zz_check($$SELECT * FROM par WHERE a = volatile_one() AND b = 'b2'$$);
SELECT * FROM zz_check($$SELECT * FROM par WHERE a = (SELECT max(a) FROM par) AND b = (SELECT min(b) FROM par)$$);
SELECT * FROM zz_check($$SELECT * FROM par WHERE a = (SELECT max(a) FROM par WHERE id < 0) AND b = 'b2'$$);
SELECT * FROM zz_check($$SELECT * FROM par WHERE a = 1 + 1 AND b = 'b' || 2$$);
-- correlated: the values change from row to row of the outer query
SELECT * FROM zz_check($$SELECT v, (SELECT count(*) FROM par WHERE a = v AND b = 'b2') FROM generate_series(0, 8) v$$);
SELECT * FROM zz_check($$SELECT v, s.* FROM (VALUES (1, 'b1'), (2, 'b2'), (NULL, 'b3'), (4, NULL), (5, 'b0')) v(x, y),
  LATERAL (SELECT id FROM par WHERE a = v.x AND b = v.y ORDER BY id LIMIT 3) s$$);
SELECT * FROM zz_check($$SELECT v.x FROM (VALUES (1), (2), (NULL), (99)) v(x) WHERE EXISTS (SELECT FROM par WHERE a = v.x AND b = 'b2' OFFSET 0)$$);
SELECT * FROM zz_check($$SELECT x, (SELECT string_agg(id::text, ',') FROM (SELECT id FROM par WHERE a = x % 7 AND b = 'b' || x % 5 ORDER BY id DESC LIMIT 2) s) FROM generate_series(1, 60) x$$);
-- the same plan executed within itself
CREATE FUNCTION nested(depth int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE r record; total bigint := 0;
BEGIN
  FOR r IN SELECT id FROM par WHERE a = depth AND b = 'b2' ORDER BY id LIMIT 3 LOOP
    total := total + r.id;
    IF depth > 0 THEN total := total + nested(depth - 1); END IF;
  END LOOP;
  RETURN total;
END $$;
SELECT nested(3);
SET zigzag.enable = off;
SELECT nested(3);
RESET zigzag.enable;
-- cursors: fetched in pieces, moved, scrolled, held, left open
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM par WHERE a = 1 AND b = 'b2' ORDER BY id;
FETCH 2 FROM c;
MOVE 3 IN c;
FETCH 2 FROM c;
DECLARE s SCROLL CURSOR FOR SELECT id FROM par WHERE a = 1 AND b = 'b2' ORDER BY id;
FETCH 3 FROM s;
FETCH BACKWARD 2 FROM s;
FETCH LAST FROM s;
FETCH FIRST FROM s;
DECLARE h CURSOR WITH HOLD FOR SELECT id FROM par WHERE a = 2 AND b = 'b2' ORDER BY id DESC;
SAVEPOINT sp;
DECLARE inner_c CURSOR FOR SELECT id FROM par WHERE a = 3 AND b = 'b2' ORDER BY id;
FETCH 1 FROM inner_c;
ROLLBACK TO sp;
FETCH 1 FROM c;
COMMIT;
FETCH 3 FROM h;
CLOSE h;
