-- Data of bench/notin; -v scale=1 is one million rows in the largest tables.
SET client_min_messages = warning;
DROP TABLE IF EXISTS nb_outer, nb_inner, nb_inner_null, nb_two, nb_two_nulls,
	nb_two_inner, nb_two_inner_nulls, nb_small_outer, nb_small_inner;

CREATE TABLE nb_outer AS
	SELECT i AS id, CASE WHEN i % 1000 <> 7 THEN i END AS x
	FROM generate_series(1, (1000000 * :scale)::int) i;
CREATE TABLE nb_inner AS
	SELECT i * 2 AS y FROM generate_series(1, (1000000 * :scale)::int) i;
CREATE TABLE nb_inner_null AS
	SELECT CASE WHEN i <> 10 THEN i * 2 END AS y
	FROM generate_series(1, (1000000 * :scale)::int) i;

CREATE TABLE nb_two AS
	SELECT i AS id, i * 7 % 100000 AS a, i % 10 AS b
	FROM generate_series(1, (20000 * :scale)::int) i;
CREATE TABLE nb_two_nulls AS
	SELECT i AS id, CASE WHEN i % 4 <> 0 THEN i * 7 % 100000 END AS a,
		CASE WHEN i % 4 <> 2 THEN i % 10 END AS b
	FROM generate_series(1, (20000 * :scale)::int) i;
CREATE TABLE nb_two_inner AS
	SELECT i + 70000 AS a, i % 10 AS b
	FROM generate_series(1, (100000 * :scale)::int) i;
CREATE TABLE nb_two_inner_nulls AS
	SELECT CASE WHEN i % 20 <> 0 THEN i + 70000 END AS a,
		CASE WHEN i % 20 <> 1 THEN i % 10 + (i % 20 = 0)::int * i END AS b
	FROM generate_series(1, (100000 * :scale)::int) i;

CREATE TABLE nb_small_outer AS
	SELECT i AS id, i AS x, i % 7 AS z FROM generate_series(1, 1000) i;
ALTER TABLE nb_small_outer ADD PRIMARY KEY (id);
CREATE TABLE nb_small_inner AS
	SELECT i * 2 AS y, i % 7 AS z FROM generate_series(1, 1000) i;

VACUUM ANALYZE nb_outer, nb_inner, nb_inner_null, nb_two, nb_two_nulls,
	nb_two_inner, nb_two_inner_nulls, nb_small_outer, nb_small_inner;
