-- Which ZigzagScan plans are legal, and what they look like.  zigzag is forced
-- throughout, unless said otherwise: where it is not chosen, it is not legal.
CREATE SCHEMA plan_scan;
SET search_path = plan_scan, public;
SET zigzag.debug_force = on;

-- Core's own plans differ between servers: of those only the absence of a
-- ZigzagScan is of interest.  So do the names of subplans.
CREATE FUNCTION zz_plan(query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  lines text[];
BEGIN
  SELECT array_agg(l)
  INTO lines FROM zz_explain(query) l WHERE l !~ 'Replaces:|Window:';
  IF array_to_string(lines, ' ') LIKE '%ZigzagScan%' THEN
    RETURN QUERY SELECT unnest(lines);
  ELSE
    RETURN NEXT 'no ZigzagScan';
  END IF;
END $$;

CREATE TABLE p (id int PRIMARY KEY, q int, r int, s int, t int NOT NULL, u int NOT NULL,
                v int, txt text, flag bool, big int8, pad text);
INSERT INTO p SELECT g, g % 10, NULLIF(g % 7, 5), NULLIF(g % 50, 7), g % 9, g % 40,
  g % 50, 't' || g % 8, g % 3 = 0, g % 11, 'x' FROM generate_series(1, 3000) g;
CREATE INDEX p_q ON p (q);
CREATE INDEX p_r ON p (r);
VACUUM ANALYZE p;

-- covered by the indexes together; with a NULL bound; in any order of operands
SELECT * FROM zz_plan('SELECT q, r FROM p WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r IS NULL');
SELECT * FROM zz_plan('SELECT count(*) FROM p WHERE 1 = q AND 2 = r');
-- equalities that an OR has in common
SELECT * FROM zz_plan('SELECT q FROM p WHERE (q = 1 AND r = 2 AND s = 3) OR (s = 4 AND r = 2 AND q = 1)');
-- one more column, a system column, the whole row: from the heap
SELECT * FROM zz_plan('SELECT q, s FROM p WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('SELECT q, ctid FROM p WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('SELECT p FROM p WHERE q = 1 AND r = 2');
SET enable_indexonlyscan = off;
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2');
RESET enable_indexonlyscan;
-- what the sides answer leaves the filter, the rest stays in its order
SELECT * FROM zz_plan('SELECT id FROM p WHERE s < 9 AND q = 1 AND u <> 3 AND r = 2 AND s > 1');
-- the same column twice: one condition is left to the filter
SELECT * FROM zz_plan('SELECT id FROM p WHERE r IS NULL AND q = 1 AND r = 2');
-- one equality only, or one index only
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r > 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND s = 2');
-- the only row there can be
SELECT * FROM zz_plan('SELECT pad FROM p WHERE q = 1 AND r = 2 AND id = 11');
-- settings
SET zigzag.enable_scan = off;
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2');
RESET zigzag.enable_scan;
SET zigzag.enable = off;
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2');
RESET zigzag.enable;

-- values: constants, parameters, stable functions, InitPlans; not volatile ones,
-- not the same row's
CREATE FUNCTION zz_stable() RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION zz_volatile() RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = zz_stable() AND r = (SELECT 1 + count(*) FROM p WHERE id < 0)');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = zz_volatile() AND r = 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = s AND r = 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = random() AND r = 2');
PREPARE params(int, int8) AS SELECT id FROM p WHERE q = $1 AND r = $2;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM zz_plan('EXECUTE params(1, 2)');
RESET plan_cache_mode;
-- parameters from an outer row, in a subquery
SELECT * FROM zz_plan('SELECT (SELECT count(*) FROM p WHERE p.q = o.q AND p.r = o.r) FROM p o');
-- below a join, in a CTE, of two tables
SELECT * FROM zz_plan('WITH c AS MATERIALIZED (SELECT id FROM p WHERE q = 1 AND r = 2) SELECT count(*) FROM c');
SELECT * FROM zz_plan('SELECT a.id FROM p a CROSS JOIN p b WHERE a.q = 1 AND a.r = 2 AND b.q = 3 AND b.r = 4');
-- an equality found by way of another one
SELECT * FROM zz_plan('SELECT a.q FROM p a JOIN p b ON a.q = b.id AND b.id = 1 WHERE a.r = 2');

-- types: int and text; across types where the family sorts across them
CREATE INDEX p_txt ON p (txt);
CREATE INDEX p_big ON p (big);
SELECT * FROM zz_plan($$SELECT q, txt FROM p WHERE q = 1 AND txt = 't1'$$);
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1::int8 AND big = 2::int2');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1.0 AND big = 2');
-- a collation that the index does not have
SELECT * FROM zz_plan($$SELECT q FROM p WHERE q = 1 AND txt = 't1' COLLATE "POSIX"$$);
DROP INDEX p_txt, p_big;

-- boolean columns in all their forms, expressions of type boolean
CREATE INDEX p_flag ON p (flag);
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND NOT flag');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag IS TRUE');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag IS FALSE');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag = false');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag IS NULL');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag IS NOT TRUE');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND flag IS NOT NULL');
DROP INDEX p_flag;
CREATE INDEX p_flag ON p ((s > 40));
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND s > 40');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND (s > 40) IS FALSE');
DROP INDEX p_flag;

-- expressions; a cast that does nothing, in the index and not in the query
CREATE INDEX p_lower ON p (lower(txt));
CREATE INDEX p_abs ON p (abs(v));
SELECT * FROM zz_plan($$SELECT count(*) FROM p WHERE lower(txt) = 't1' AND abs(v) = 3$$);
SELECT * FROM zz_plan($$SELECT txt FROM p WHERE lower(txt) = 't1' AND abs(v) = 3$$);
SELECT * FROM zz_plan($$SELECT q FROM p WHERE abs(v) IS NULL AND q = 1$$);
DROP INDEX p_lower, p_abs;
CREATE TABLE cast_key (a varchar(10), b varchar(10));
INSERT INTO cast_key SELECT 'a' || g % 5, 'b' || g % 6 FROM generate_series(1, 300) g;
CREATE INDEX cast_key_a ON cast_key ((a::varchar));
CREATE INDEX cast_key_b ON cast_key (b);
VACUUM ANALYZE cast_key;
SELECT * FROM zz_plan($$SELECT count(*) FROM cast_key WHERE a = 'a1' AND b = 'b1'$$);
SELECT * FROM zz_check($$SELECT count(*) FROM cast_key WHERE a = 'a1' AND b = 'b1'$$);
DROP TABLE cast_key;

-- a shared suffix, nullable or not
DROP INDEX p_q, p_r;
CREATE INDEX p_rs ON p (r, s);
CREATE INDEX p_ts ON p (t, s);
SELECT * FROM zz_plan('SELECT r, s, t FROM p WHERE r = 1 AND t = 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s LIMIT 3');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s DESC LIMIT 3');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s NULLS FIRST LIMIT 3');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY t, s, r LIMIT 3');
SELECT * FROM zz_plan('SELECT s, count(*) FROM p WHERE r = 1 AND t = 2 GROUP BY s');
SELECT * FROM zz_plan('SELECT max(s) FROM p WHERE r = 1 AND t = 2');
-- what binds the suffix too leaves none
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 AND s = 3');
-- a range on the suffix is a filter
SELECT * FROM zz_plan('SELECT s FROM p WHERE r = 1 AND t = 2 AND s > 3 ORDER BY s');
-- NULL bound, in an order that begins behind it
SELECT * FROM zz_plan('SELECT id FROM p WHERE r IS NULL AND t = 2 ORDER BY s');
DROP INDEX p_ts;
-- not the same column, also where the query equates them
CREATE INDEX p_tv ON p (t, v);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 AND s = v');
DROP INDEX p_tv;
-- not the same direction: TIDs of equal keys would come in opposite orders
CREATE INDEX p_ts ON p (t, s DESC);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s');
DROP INDEX p_ts;
CREATE INDEX p_ts ON p (t, s NULLS FIRST);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2');
DROP INDEX p_ts;
CREATE INDEX p_ts ON p (t, s DESC NULLS LAST);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2');
DROP INDEX p_ts, p_rs;
-- the direction of bound columns does not matter
CREATE INDEX p_rs ON p (r DESC, s DESC NULLS LAST, u);
CREATE INDEX p_ts ON p (t NULLS FIRST, s DESC NULLS LAST, u);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s DESC NULLS LAST, u');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s NULLS FIRST, u DESC');
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 ORDER BY s NULLS FIRST');
SELECT * FROM zz_plan('SELECT s FROM p WHERE r = 1 AND t = 2 ORDER BY u');
DROP INDEX p_ts, p_rs;
-- not the same operator class or collation
CREATE INDEX p_rs ON p (r, txt);
CREATE INDEX p_ts ON p (t, txt text_pattern_ops);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2');
DROP INDEX p_ts;
CREATE INDEX p_ts ON p (t, txt COLLATE "POSIX");
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2');
DROP INDEX p_ts, p_rs;
-- an expression as suffix
CREATE INDEX p_rs ON p (r, abs(v), s);
CREATE INDEX p_ts ON p (t, abs(v), s);
CREATE INDEX p_us ON p (u, abs(id), s);
SELECT * FROM zz_plan('SELECT id FROM p WHERE r = 1 AND t = 2 AND u = 3 ORDER BY abs(v), s');
DROP INDEX p_ts, p_rs, p_us;

-- a column between the bound ones and the suffix that is not bound
CREATE INDEX p_q ON p (q);
CREATE INDEX p_rs ON p (r, s);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
CREATE INDEX p_rsu ON p (r, s, u);
CREATE INDEX p_qu ON p (q, u);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND u = 3');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s = 3');
DROP INDEX p_q, p_rs, p_rsu, p_qu;

-- two identical indexes; a prefix of another; one that answers it all
CREATE INDEX p_q ON p (q);
CREATE INDEX p_q2 ON p (q);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
DROP INDEX p_q2;
CREATE INDEX p_qr ON p (q, r);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
CREATE INDEX p_r ON p (r);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
-- a side of two columns; each condition is answered once
CREATE INDEX p_t ON p (t);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND t = 3');
DROP INDEX p_q, p_r, p_t, p_qr;
-- one index that answers it all, but not in the order wanted; and in that order
CREATE INDEX p_qs ON p (q, s);
CREATE INDEX p_rs ON p (r, s);
CREATE INDEX p_qr ON p (q, r);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 ORDER BY s');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
CREATE INDEX p_qrs ON p (q, r, s);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 ORDER BY s');
DROP INDEX p_qs, p_rs, p_qr, p_qrs;

-- more than two sides, the most selective first; a limit to their number
CREATE INDEX p_q ON p (q);
CREATE INDEX p_r ON p (r);
CREATE INDEX p_t ON p (t);
CREATE INDEX p_u ON p (u) INCLUDE (s);
SELECT * FROM zz_plan('SELECT s FROM p WHERE q = 1 AND r = 2 AND t = 3 AND u = 4');
SET zigzag.max_sides = 2;
SELECT * FROM zz_plan('SELECT s FROM p WHERE q = 1 AND r = 2 AND t = 3 AND u = 4');
RESET zigzag.max_sides;
-- a filter and a value from an INCLUDE column
SELECT * FROM zz_plan('SELECT q, s FROM p WHERE q = 1 AND u = 4 AND s > 9');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 4 AND s > 9');
DROP INDEX p_q, p_r, p_t, p_u;

-- partial indexes: both implied, one of them, none
CREATE INDEX p_q ON p (q) WHERE s > 10;
CREATE INDEX p_r ON p (r) WHERE s > 20;
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 20');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 15');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 5');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 30');
-- what a predicate implies is tested again where rows are locked
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 20 FOR UPDATE');
DROP INDEX p_r;
-- one partial, one not
CREATE INDEX p_r ON p (r);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 20');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND s > 9');
DROP INDEX p_q, p_r;
-- the same predicate twice, and another index's that has no part in it
CREATE INDEX p_q ON p (q) WHERE s > 10;
CREATE INDEX p_r ON p (r) WHERE s > 10;
CREATE INDEX p_v ON p (v) WHERE t = 3;
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2 AND s > 10');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2 AND s > 10 AND t = 3');
DROP INDEX p_q, p_r, p_v;
-- a predicate that is what the other side binds
CREATE INDEX p_q ON p (q);
CREATE INDEX p_r ON p (r) WHERE q = 1;
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 FOR UPDATE');
DROP INDEX p_q;
CREATE INDEX p_q ON p (q) WHERE r = 2;
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
CREATE INDEX p_t ON p (t);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND t = 3');
DROP INDEX p_q, p_r, p_t;

-- unique indexes: the only row, or as many as have a NULL
CREATE TABLE uq (a int, b int, c int);
INSERT INTO uq SELECT CASE WHEN g > 100 THEN g END, g % 7, g % 5 FROM generate_series(1, 500) g;
CREATE UNIQUE INDEX uq_a ON uq (a);
CREATE INDEX uq_b ON uq (b);
VACUUM ANALYZE uq;
SELECT * FROM zz_plan('SELECT * FROM uq WHERE a = 101 AND b = 1');
SELECT * FROM zz_plan('SELECT * FROM uq WHERE a IS NULL AND b = 1');
SELECT * FROM zz_check('SELECT * FROM uq WHERE a IS NULL AND b = 1');
DROP TABLE uq;

-- other kinds of indexes
CREATE INDEX p_q ON p USING hash (q);
CREATE INDEX p_r ON p (r);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
DROP INDEX p_q;
CREATE INDEX p_q ON p USING brin (q);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
DROP INDEX p_q;
-- an index that is being built or is broken
CREATE INDEX p_q ON p (q);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'p_q'::regclass;
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'p_q'::regclass;
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2');

-- rows locked and rows changed
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2 FOR UPDATE');
SELECT * FROM zz_plan('SELECT q FROM p WHERE q = 1 AND r = 2 ORDER BY r FOR SHARE SKIP LOCKED');
SELECT * FROM zz_plan('UPDATE p SET pad = pad WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('DELETE FROM p WHERE q = 1 AND r = 2 RETURNING q');
SELECT * FROM zz_plan('INSERT INTO p (id, t, u) SELECT -id, 0, 0 FROM p WHERE q = 1 AND r = 2');
-- Row security: a condition that may leak what it sees must not overtake the
-- policy.  WHERE CURRENT OF is for a TID scan.
CREATE FUNCTION zz_leaky_eq(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT
AS 'BEGIN RETURN $1 = $2; END';
CREATE OPERATOR === (FUNCTION = zz_leaky_eq, LEFTARG = int, RIGHTARG = int, COMMUTATOR = ===);
CREATE OPERATOR CLASS zz_leaky_ops FOR TYPE int USING btree
  AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 ===, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int);
CREATE INDEX p_leaky ON p (v zz_leaky_ops);
CREATE INDEX p_v ON p (v);
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND v === 2');
CREATE ROLE regress_zz_plan;
GRANT USAGE ON SCHEMA plan_scan TO regress_zz_plan;
GRANT ALL ON p TO regress_zz_plan;
CREATE POLICY p_policy ON p USING (q = 1 AND r = 2);
ALTER TABLE p ENABLE ROW LEVEL SECURITY;
SET ROLE regress_zz_plan;
SELECT * FROM zz_plan('SELECT id FROM p');
SELECT * FROM zz_plan('SELECT id FROM p FOR UPDATE');
SELECT * FROM zz_plan('SELECT id FROM p WHERE v === 2');
SELECT * FROM zz_plan('SELECT id FROM p WHERE v = 2');
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM p WHERE q = 1 AND r = 2 FOR UPDATE;
SELECT * FROM zz_plan('UPDATE p SET pad = pad WHERE CURRENT OF c');
FETCH 1 FROM c;
UPDATE p SET pad = 'current' WHERE CURRENT OF c RETURNING id, pad;
ROLLBACK;
RESET ROLE;
ALTER TABLE p DISABLE ROW LEVEL SECURITY;
DROP POLICY p_policy ON p;
REVOKE ALL ON p FROM regress_zz_plan;
REVOKE USAGE ON SCHEMA plan_scan FROM regress_zz_plan;
DROP ROLE regress_zz_plan;
SET client_min_messages = warning;
DROP OPERATOR CLASS zz_leaky_ops USING btree CASCADE;
RESET client_min_messages;
DROP INDEX p_v;

-- tables: a sample, a catalog, a temporary table, a materialized view
SELECT * FROM zz_plan('SELECT id FROM p TABLESAMPLE system (50) WHERE q = 1 AND r = 2');
SELECT * FROM zz_plan('SELECT deptype FROM pg_depend WHERE classid = 1 AND objid = 2 AND objsubid = 3
  AND refclassid = 4 AND refobjid = 5 AND refobjsubid = 6');
CREATE TEMP TABLE tmp AS SELECT q, r FROM p;
CREATE INDEX tmp_q ON tmp (q);
CREATE INDEX tmp_r ON tmp (r);
VACUUM ANALYZE tmp;
SELECT * FROM zz_plan('SELECT q FROM tmp WHERE q = 1 AND r = 2');
DROP TABLE tmp;
CREATE MATERIALIZED VIEW mv AS SELECT q, r FROM p;
CREATE INDEX mv_q ON mv (q);
CREATE INDEX mv_r ON mv (r);
SELECT * FROM zz_plan('SELECT q FROM mv WHERE q = 1 AND r = 2');
DROP MATERIALIZED VIEW mv;
-- another access method, whose TIDs may mean anything
CREATE ACCESS METHOD zz_heap TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE am USING zz_heap AS SELECT q, r FROM p;
CREATE INDEX am_q ON am (q);
CREATE INDEX am_r ON am (r);
SELECT * FROM zz_plan('SELECT q FROM am WHERE q = 1 AND r = 2');
DROP TABLE am;
DROP ACCESS METHOD zz_heap;
-- of a table with children, the children that have the indexes
CREATE TABLE part (k int, a int, b int) PARTITION BY RANGE (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (10) TO (20);
CREATE TABLE part3 PARTITION OF part FOR VALUES FROM (20) TO (30);
INSERT INTO part SELECT g % 30, g % 7, g % 11 FROM generate_series(1, 3000) g;
CREATE INDEX ON part (a, k);
CREATE INDEX ON part (b, k);
VACUUM ANALYZE part;
SELECT * FROM zz_plan('SELECT k FROM part WHERE a = 1 AND b = 2 AND k < 20');
SELECT * FROM zz_plan('SELECT k FROM part WHERE a = 1 AND b = 2 AND k < 20 ORDER BY k DESC');
SELECT * FROM zz_plan('UPDATE part SET k = k WHERE a = 1 AND b = 2 AND k < 10');
-- a lateral value that is computed at the table, joined by partitions
SET enable_partitionwise_join = on;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT * FROM zz_check('SELECT * FROM part o LEFT JOIN LATERAL
  (SELECT i.k, o.a + coalesce(i.a, 0) AS sum FROM part i WHERE i.a = 1 AND i.b = 2) s ON s.k = o.k WHERE o.a = 3');
RESET enable_partitionwise_join;
RESET enable_hashjoin;
RESET enable_mergejoin;
DROP TABLE part;

-- constant conditions
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND false');
SELECT * FROM zz_plan('SELECT id FROM p WHERE q = 1 AND r = 2 AND zz_stable() = 1');
DROP INDEX p_q, p_r;
RESET zigzag.debug_force;

-- What the planner chooses by itself.
CREATE TABLE c (id int PRIMARY KEY, one int, two int, few int, rare int, half int, x int, y int, late int, pad text);
INSERT INTO c SELECT g, 1, 2, g, zz_hash(g, 3, 2000), g % 2, zz_hash(g, 1, 10), zz_hash(g, 2, 10),
  (g > 29000)::int, repeat('x', 60)
FROM generate_series(1, 30000) g;
CREATE INDEX c_one ON c (one);
CREATE INDEX c_two ON c (two);
CREATE INDEX c_few ON c (few);
CREATE INDEX c_rare ON c (rare);
CREATE INDEX c_half ON c (half);
CREATE INDEX c_x ON c (x);
CREATE INDEX c_y ON c (y);
CREATE INDEX c_x_id ON c (x, id);
CREATE INDEX c_y_id ON c (y, id);
CREATE INDEX c_late_id ON c (late, id);
VACUUM ANALYZE c;
-- two tenths of the table
SELECT * FROM zz_plan('SELECT count(*) FROM c WHERE x = 1 AND y = 2');
SELECT * FROM zz_plan('SELECT * FROM c WHERE x = 1 AND y = 2');
-- all of it, and a condition that leaves one row: the index on that
SELECT * FROM zz_plan('SELECT * FROM c WHERE one = 1 AND two = 2');
SELECT * FROM zz_plan('SELECT * FROM c WHERE one = 1 AND two = 2 AND few = 3');
-- a few rows, for each of which another page of the other index would be read
SELECT * FROM zz_plan('SELECT count(*) FROM c WHERE rare = 1 AND half = 1');
-- the newest are far from the beginning
SELECT * FROM zz_plan('SELECT * FROM c WHERE x = 1 AND late = 1 ORDER BY id LIMIT 10');
-- some in order; one is found sooner without a second index; all that are below
-- a function that needs all of them
SELECT * FROM zz_plan('SELECT * FROM c WHERE x = 1 AND y = 2 ORDER BY id LIMIT 50');
SELECT * FROM zz_plan('SELECT * FROM c WHERE x = 1 AND y = 2 ORDER BY id LIMIT 1');
SELECT * FROM zz_plan('SELECT row_number() OVER (ORDER BY id), pad FROM c WHERE x = 1 AND y = 2 LIMIT 1');
-- the first row found is as good as any
SELECT * FROM zz_plan('SELECT * FROM c WHERE one = 1 AND two = 2 LIMIT 1');
SELECT * FROM zz_plan('SELECT * FROM c WHERE one = 1 AND two = 2 ORDER BY id LIMIT 10');
-- a lookup by key
SELECT * FROM zz_plan('SELECT * FROM c WHERE id = 1 AND x = 1 AND y = 2');

-- Costs: before the first row a descent and a page of each side; the pages of
-- the table, where they are visited; entries that are rarer cost less.
CREATE FUNCTION zz_cost(query text, what text) RETURNS float8
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
  IF plan #>> '{0,Plan,Custom Plan Provider}' IS DISTINCT FROM 'ZigzagScan' THEN
    RAISE EXCEPTION 'no ZigzagScan';
  END IF;
  RETURN plan #>> ARRAY['0', 'Plan', what];
END $$;
WITH q AS (
  SELECT zz_cost('SELECT x FROM c WHERE x = 1 AND y = 2', 'Startup Cost') AS startup,
         zz_cost('SELECT x FROM c WHERE x = 1 AND y = 2', 'Total Cost') AS covered,
         zz_cost('SELECT x, pad FROM c WHERE x = 1 AND y = 2', 'Total Cost') AS heap,
         zz_cost('SELECT x, pad FROM c WHERE x = 1 AND y = 2', 'Plan Rows') AS nrows,
         zz_cost('SELECT x FROM c WHERE x = 1 AND half = 1', 'Total Cost') AS more)
SELECT startup >= 2 * current_setting('seq_page_cost')::float8 AS first_pages,
       startup < covered / 2 AS starts_early,
       heap - covered > nrows / 2 * current_setting('seq_page_cost')::float8 AS heap_pages,
       covered < more AS fewer_entries
FROM q;
SET client_min_messages = warning;
DROP SCHEMA plan_scan CASCADE;
