-- The bench table: pairs of columns that match a given share of the rows, each
-- with an index of its own, in which all values are as frequent.  :rows is the number of rows.
--
--   xP, yP    P is the share: 50, 10, 1, 01 (0.1 %), 001 (0.01 %); uncorrelated
--   cP, dP    the same in bursts of 1,000 rows, as real tables have them
--   flagP     the same with two values, where core's statistics mislead it
--   even, odd the worst case: all of one lie between all of the other
--   old, new  disjoint runs
--   author, shape  the trap: plenty of each, together only in the last 1 %
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SET max_parallel_maintenance_workers = 0;
DROP TABLE IF EXISTS bench, bench_c;
CREATE OR REPLACE FUNCTION bench_hash(g bigint, seed int, m bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (hashint8extended(g, seed) & 9223372036854775807) % m $$;

CREATE TABLE bench AS
SELECT g AS id,
       bench_hash(g, 1, 2)::int AS x50, bench_hash(g, 2, 2)::int AS y50,
       bench_hash(g, 3, 10)::int AS x10, bench_hash(g, 4, 10)::int AS y10,
       bench_hash(g, 5, 100)::int AS x1, bench_hash(g, 6, 100)::int AS y1,
       bench_hash(g, 7, 1000)::int AS x01, bench_hash(g, 8, 1000)::int AS y01,
       bench_hash(g, 9, 10000)::int AS x001, bench_hash(g, 10, 10000)::int AS y001,
       bench_hash(g / 1000, 11, 10)::int AS c10, bench_hash(g / 1000, 12, 10)::int AS d10,
       bench_hash(g / 1000, 13, 2)::int AS c50, bench_hash(g / 1000, 14, 2)::int AS d50,
       (bench_hash(g, 19, 1000) < 100)::int AS flag10, (bench_hash(g, 20, 1000) < 1)::int AS flag01,
       (g % 2)::int AS even, ((g + 1) % 2)::int AS odd,
       (g <= :rows / 2)::int AS old, (g > :rows / 2)::int AS new,
       CASE WHEN bench_hash(g, 15, 100) < 8 THEN 42 ELSE 1000 + bench_hash(g, 16, 50000)::int END AS author,
       CASE WHEN bench_hash(g, 15, 100) < 8 AND g < 0.99 * :rows THEN 2
            WHEN bench_hash(g, 15, 100) < 8 THEN (1 + (bench_hash(g, 17, 10) > 0)::int)
            WHEN bench_hash(g, 18, 100) < 12 THEN 1 ELSE 3 END AS shape,
       repeat('x', 40) AS pad
FROM generate_series(1::bigint, :rows) g;
ALTER TABLE bench ADD PRIMARY KEY (id);

-- The same rows with the indexes that one would add for each combination.
CREATE TABLE bench_c AS SELECT * FROM bench;
CREATE INDEX ON bench_c (x10, y10);
CREATE INDEX ON bench_c (x01, y10);
CREATE INDEX ON bench_c (even, odd);
CREATE INDEX ON bench_c (x50, y50);
CREATE INDEX ON bench_c (old, new);
CREATE INDEX ON bench_c (x10, y10, id);
CREATE INDEX ON bench_c (author, shape, id);

SELECT format('CREATE INDEX ON bench (%I)', a)
FROM unnest('{x50,y50,x10,y10,x1,y1,x01,y01,x001,y001,c10,d10,c50,d50,even,odd,old,new,flag10,flag01}'::text[]) a
\gexec
SELECT format('CREATE INDEX ON bench (%I, id)', a)
FROM unnest('{x50,y50,x10,y10,x1,y1,x01,author,shape}'::text[]) a
\gexec
-- without this a VACUUM right after the load could not mark pages all-visible
SET synchronous_commit = on;
VACUUM (FREEZE, ANALYZE) bench, bench_c;
