-- Data of bench/notin; -v scale=1 is one million rows in the largest tables.
SET client_min_messages = warning;
DROP TABLE IF EXISTS nb_outer, nb_inner, nb_inner_null, nb_two, nb_two_nulls,
	nb_two_inner, nb_two_inner_nulls, nb_small_outer, nb_small_inner, nb_parent,
	nb_child, nb_feed, nb_ref, nb_space, nb_member, nb_value_outer,
	nb_value_inner, nb_or_outer, nb_or_inner;

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

-- Users' problems: orphans, a list of pairs, what is visible to a person.
CREATE FUNCTION pg_temp.h(g bigint, seed int, m bigint) RETURNS bigint
	LANGUAGE sql IMMUTABLE
	AS $$ SELECT (hashint8extended(g, seed) & 9223372036854775807) % m $$;
CREATE TABLE nb_parent AS
	SELECT i::bigint AS id, 'fact ' || i AS label
	FROM generate_series(1, (8000 * :scale)::int) i;
ALTER TABLE nb_parent ADD PRIMARY KEY (id);
CREATE TABLE nb_child AS
	SELECT i::bigint AS id, repeat('e', 20) AS extra,
		CASE WHEN pg_temp.h(i, 1, 20) > 0 OR i % 400 > 0 THEN
			pg_temp.h(i, 1, (8000 * :scale)::int - 20) + 1 ELSE 1 END AS ref
	FROM generate_series(1, (120000 * :scale)::int) i;
CREATE INDEX ON nb_child (ref);
CREATE TABLE nb_feed AS
	SELECT i AS id, 'SYM' || pg_temp.h(i, 1, 60000) AS symbol,
		CASE WHEN pg_temp.h(i, 2, 2000) > 0 THEN 'V' || pg_temp.h(i, 3, 12) END AS venue,
		(ARRAY['asia', 'emea', 'amer'])[1 + pg_temp.h(i, 4, 3)] AS zone
	FROM generate_series(1, (1500 * :scale)::int) i;
ALTER TABLE nb_feed ALTER symbol SET NOT NULL;
CREATE TABLE nb_ref AS
	SELECT 'SYM' || s AS symbol, 'V' || v AS venue, date '2024-02-02' AS loaded
	FROM generate_series(0, 59999) s, generate_series(0, 11) v
	WHERE s % 50 <> 7 AND pg_temp.h(s * 16 + v, 5, 10) < (3 * :scale)::int;
ALTER TABLE nb_ref ALTER symbol SET NOT NULL;
CREATE INDEX ON nb_ref (symbol, venue);
CREATE TABLE nb_space AS
	SELECT i::bigint AS id, (CASE WHEN pg_temp.h(i, 1, 1000) < 970 THEN 0
		WHEN pg_temp.h(i, 1, 1000) < 990 THEN 20 ELSE 10 END)::smallint AS openness,
		repeat('w', 200) AS about
	FROM generate_series(1, (500000 * :scale)::int) i;
ALTER TABLE nb_space ADD PRIMARY KEY (id);
CREATE INDEX ON nb_space (openness, id);
CREATE TABLE nb_member AS
	SELECT DISTINCT 1 + pg_temp.h(i, 2, (20000 * :scale)::int) AS person,
		1 + pg_temp.h(i, 3, (500000 * :scale)::int) AS space
	FROM generate_series(1, (1200000 * :scale)::int) i;
ALTER TABLE nb_member ADD PRIMARY KEY (person, space);

-- Where the value is needed.
CREATE TABLE nb_value_outer AS
	SELECT i AS id, (i::bigint * 7919 % 200000)::int AS x
	FROM generate_series(1, (120000 * :scale)::int) i;
CREATE TABLE nb_value_inner AS
	SELECT (i::bigint * 104729 % 200000)::int AS y
	FROM generate_series(1, (150000 * :scale)::int) i;
CREATE INDEX ON nb_value_inner (y);
CREATE TABLE nb_or_outer AS
	SELECT i AS id, (i::bigint * 7919 % 2000000)::int AS x, i % 100 AS p
	FROM generate_series(1, (1000000 * :scale)::int) i;
CREATE TABLE nb_or_inner AS
	SELECT (i::bigint * 104729 % 2000000)::int AS y
	FROM generate_series(1, (1000000 * :scale)::int) i;

VACUUM ANALYZE nb_outer, nb_inner, nb_inner_null, nb_two, nb_two_nulls,
	nb_two_inner, nb_two_inner_nulls, nb_small_outer, nb_small_inner, nb_parent,
	nb_child, nb_feed, nb_ref, nb_space, nb_member, nb_value_outer,
	nb_value_inner, nb_or_outer, nb_or_inner;
