-- What a scan holds: memory that does not grow, pages that are let go of,
-- nothing at all after an error.
CREATE TABLE res (id int, a int, b int, c text, pad text);
INSERT INTO res SELECT g, zz_hash(g, 1, 10), zz_hash(g, 2, 10), 'c' || zz_hash(g, 3, 4), repeat('p', 60)
FROM generate_series(1, 20000) g;
CREATE INDEX res_a ON res (a);
CREATE INDEX res_b ON res (b);
CREATE INDEX res_c ON res (c);
VACUUM ANALYZE res;
SET zigzag.debug_force = on;

-- Bytes in use by executors of this session.
CREATE FUNCTION res_bytes() RETURNS bigint LANGUAGE sql AS $$
SELECT sum(used_bytes)::bigint FROM pg_backend_memory_contexts
WHERE name IN ('ExecutorState', 'ExprContext', 'PortalContext')
$$;

-- nothing grows per row, nor per rescan, whatever is compared and returned
PREPARE res_bytes_now AS SELECT res_bytes() AS bytes;
BEGIN;
DECLARE heap_rows CURSOR FOR SELECT id, pad FROM res WHERE a = 1 AND c = 'c1';
DECLARE index_rows CURSOR FOR SELECT a, c FROM res WHERE a = 1 AND c = 'c1';
DECLARE rescans CURSOR FOR
  SELECT g, (SELECT count(*) FROM res WHERE a = g % 11 AND c = 'c' || g % 5),
            (SELECT sum(length(pad)) FROM res WHERE a = g % 11 AND b = nullif(g % 7, 3)),
            (SELECT id FROM res WHERE a = g % 11 AND b = 5 LIMIT 1)
  FROM generate_series(1, 400) g;
MOVE 30 IN heap_rows;
MOVE 30 IN index_rows;
MOVE 30 IN rescans;
SELECT count(*) AS zigzags FROM zz_explain($$SELECT id, pad FROM res WHERE a = 1 AND c = 'c1'$$) plan WHERE plan LIKE '%ZigzagScan%';
EXECUTE res_bytes_now \gset before_
MOVE 400 IN heap_rows;
MOVE 400 IN index_rows;
MOVE 350 IN rescans;
EXECUTE res_bytes_now \gset after_
SELECT :before_bytes > 0 AS counted, :after_bytes - :before_bytes < 1024 AS constant;

-- an exhausted scan has let go of its pages, and stays exhausted
MOVE ALL IN heap_rows;
MOVE ALL IN index_rows;
FETCH heap_rows;
FETCH index_rows;
FETCH heap_rows;
COMMIT;
-- Row by row through a scan that meets its end again and again.
SELECT sum(n), count(*) FROM generate_series(1, 50) g,
  LATERAL (SELECT count(*) n FROM res WHERE a = g % 11 AND b = g % 12 AND g > 0) s;
SET zigzag.enable = off;
SELECT sum(n), count(*) FROM generate_series(1, 50) g,
  LATERAL (SELECT count(*) n FROM res WHERE a = g % 11 AND b = g % 12 AND g > 0) s;
RESET zigzag.enable;

-- an error in the middle, in the filter, the target list, a value; a cursor of a
-- subtransaction that is rolled back; a scan left open by a savepoint's error
SELECT count(id / (id - (SELECT max(id) FROM res WHERE a = 1 AND b = 2))) FROM res WHERE a = 1 AND b = 2;
SELECT count(*) FROM res WHERE a = 1 AND b = 2 AND 1 / (id - (SELECT max(id) FROM res WHERE a = 1 AND b = 2)) < 5;
SELECT count(*) FROM res WHERE a = 1 AND b = (SELECT 1 / (count(*) - 1) FROM generate_series(1, 1) g);
BEGIN;
DECLARE outer_rows CURSOR FOR SELECT a, b FROM res WHERE a = 1 AND b = 2;
FETCH 1 FROM outer_rows;
SAVEPOINT one;
DECLARE inner_rows CURSOR FOR SELECT a, b FROM res WHERE a = 3 AND b = 2;
FETCH 1 FROM inner_rows;
FETCH 1 FROM outer_rows;
ROLLBACK TO one;
FETCH 1 FROM inner_rows;
ROLLBACK TO one;
FETCH 1 FROM outer_rows;
SELECT count(1 / (id - id)) FROM res WHERE a = 1 AND b = 2;
ROLLBACK TO one;
MOVE ALL IN outer_rows;
COMMIT;

-- an index in use cannot be dropped; dropped after, the plan is made anew
BEGIN;
DECLARE open_rows CURSOR FOR SELECT id FROM res WHERE a = 1 AND b = 2;
FETCH 1 FROM open_rows \gset
DROP INDEX res_a;
ROLLBACK;
PREPARE res_count AS SELECT count(*) FROM res WHERE a = 1 AND b = 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE res_count;
DROP INDEX res_a;
EXECUTE res_count;
SELECT count(*) AS zigzags FROM zz_explain('EXECUTE res_count') plan WHERE plan LIKE '%ZigzagScan%';
CREATE INDEX res_a ON res (a);
EXECUTE res_count;
SELECT count(*) AS zigzags FROM zz_explain('EXECUTE res_count') plan WHERE plan LIKE '%ZigzagScan%';
RESET ALL;
