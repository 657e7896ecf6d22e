-- Ask a query with zigzag off and with zigzag on, and compare.  Installed by
-- Fuzz.pm; lives in a schema of its own, while what is asked about comes and goes.
--
-- A query has two text columns: k, what it is ordered by, and r, the row.  sorted
-- says how much of the order two plans have to agree in:
--	none	they give the same rows
--	keys	the same rows, with the same sequence of keys
--	limit	the same sequence of keys, of rows with equal keys any
--	total	the same sequence of rows
CREATE SCHEMA fuzz_lib;
SET search_path = fuzz_lib;
GRANT USAGE ON SCHEMA fuzz_lib TO PUBLIC;

CREATE TYPE answer AS (k text[], r text[], error text);

CREATE FUNCTION set_all(settings text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	setting text;
BEGIN
	FOREACH setting IN ARRAY string_to_array(settings, '; ') LOOP
		PERFORM set_config(split_part(setting, ' = ', 1), split_part(setting, ' = ', 2), true);
	END LOOP;
END $$;

-- Forth, back and forth again, with turns on the way.  The rows of a turn count
-- only where the order says which they are.
CREATE FUNCTION scroll(query text, sorted text) RETURNS answer LANGUAGE plpgsql AS $$
DECLARE
	-- not in an answer: a field of a record is copied each time
	ks text[];
	rs text[];
	c refcursor;
	row record;
	n int := 0;
	step int;
BEGIN
	OPEN c SCROLL FOR EXECUTE query;
	FOREACH step IN ARRAY '{3, -2, 40, -15, 1, -100, 2, 200, -7, -7, 60}'::int[] LOOP
		MOVE RELATIVE step FROM c;
		FETCH RELATIVE 0 FROM c INTO row;
		IF sorted <> 'none' THEN
			ks := ks || CASE WHEN FOUND THEN row.k END;
		END IF;
		IF sorted = 'total' THEN
			rs := rs || CASE WHEN FOUND THEN row.r END;
		END IF;
	END LOOP;
	MOVE ABSOLUTE 0 FROM c;
	LOOP
		FETCH NEXT FROM c INTO row;
		EXIT WHEN NOT FOUND;
		n := n + 1;
		ks := ks || row.k;
		rs := rs || row.r;
	END LOOP;
	LOOP
		FETCH PRIOR FROM c INTO row;
		EXIT WHEN NOT FOUND;
		ks := ks || row.k;
		rs := rs || row.r;
	END LOOP;
	LOOP
		FETCH FORWARD FROM c INTO row;
		EXIT WHEN NOT FOUND;
		n := n - 1;
		ks := ks || row.k;
		rs := rs || row.r;
	END LOOP;
	CLOSE c;
	IF n <> 0 THEN
		RAISE 'a cursor gives % rows less when it is run again', n;
	END IF;
	RETURN ROW(ks, rs, NULL)::fuzz_lib.answer;
END $$;

CREATE FUNCTION run(query text, sorted text, mode text, types text, args text[])
RETURNS answer LANGUAGE plpgsql AS $$
DECLARE
	aggregated text := 'SELECT array_agg(k), array_agg(r) FROM (' || query || ') q';
	a fuzz_lib.answer;
	b fuzz_lib.answer;
	ks text[];
	rs text[];
	arg text;
	c refcursor;
	row record;
BEGIN
	CASE mode
	WHEN 'plain' THEN
		EXECUTE aggregated INTO a.k, a.r;
	WHEN 'prepared' THEN
		DEALLOCATE ALL;
		EXECUTE 'PREPARE fuzz_query ' || types || ' AS ' || aggregated;
		FOREACH arg IN ARRAY args LOOP
			EXECUTE 'EXECUTE fuzz_query ' || arg INTO b.k, b.r;
			a.k := a.k || b.k;
			a.r := a.r || b.r;
		END LOOP;
	WHEN 'loop', 'slow' THEN
		FOR row IN EXECUTE query LOOP
			ks := ks || row.k;
			rs := rs || row.r;
			IF mode = 'slow' AND cardinality(ks) % 10 = 1 AND cardinality(ks) < 100 THEN
				PERFORM pg_sleep(0.002);
			END IF;
		END LOOP;
		a.k := ks;
		a.r := rs;
	WHEN 'scroll' THEN
		a := fuzz_lib.scroll(query, sorted);
	WHEN 'abort' THEN
		-- a cursor is left open in a subtransaction that fails
		BEGIN
			OPEN c FOR EXECUTE query;
			MOVE FORWARD 3 FROM c;
			RAISE 'left open';
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
		EXECUTE aggregated INTO a.k, a.r;
	WHEN 'dml' THEN
		BEGIN
			EXECUTE 'WITH q AS (' || query || ') SELECT array_agg(k), array_agg(r) FROM q' INTO a.k, a.r;
			RAISE 'undone';
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END CASE;
	RETURN a;
EXCEPTION WHEN OTHERS THEN
	a := NULL;
	a.error := sqlstate || ' ' || sqlerrm;
	RETURN a;
END $$;

-- What is different, or NULL.
CREATE FUNCTION differs(sorted text, a answer, b answer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF a.error IS DISTINCT FROM b.error THEN
		RETURN format('error (%s, %s)', coalesce(a.error, 'none'), coalesce(b.error, 'none'));
	ELSIF sorted <> 'none' AND a.k IS DISTINCT FROM b.k OR
		sorted = 'total' AND a.r IS DISTINCT FROM b.r THEN
		RETURN 'order';
	ELSIF cardinality(a.r) IS DISTINCT FROM cardinality(b.r) OR
		sorted <> 'limit' AND a.r IS DISTINCT FROM b.r AND
		(SELECT array_agg(x ORDER BY x COLLATE "C") FROM unnest(a.r) x) IS DISTINCT FROM
		(SELECT array_agg(x ORDER BY x COLLATE "C") FROM unnest(b.r) x) THEN
		RETURN 'rows';
	END IF;
	RETURN NULL;
END $$;

-- The nodes in the plan of a query that are of interest.
CREATE FUNCTION nodes(query text, mode text, args text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' ||
		CASE mode WHEN 'prepared' THEN 'EXECUTE fuzz_query ' || args[1]
			WHEN 'dml' THEN query ELSE 'SELECT k, r FROM (' || query || ') q' END
	LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN (SELECT coalesce(string_agg(DISTINCT m[1], ' '), '') FROM
		regexp_matches(plan, '(Zigzag\w+|NullAware\w+|MarkJoin|Append|SubPlan|Gather)', 'g') m);
END $$;

-- "ok" and the nodes, "difference" and what, or "error" if both ways fail alike.
CREATE FUNCTION check_both(query text, sorted text, mode text, settings text,
	types text DEFAULT '', args text[] DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a fuzz_lib.answer;
	b fuzz_lib.answer;
	wrong text;
BEGIN
	PERFORM fuzz_lib.set_all(settings), set_config('zigzag.enable', 'off', true);
	a := fuzz_lib.run(query, sorted, mode, types, args);
	PERFORM set_config('zigzag.enable', 'on', true);
	b := fuzz_lib.run(query, sorted, mode, types, args);
	wrong := fuzz_lib.differs(sorted, a, b);
	IF wrong IS NOT NULL THEN
		RETURN format('difference in %s: %s and %s rows', wrong,
			coalesce(cardinality(a.r), 0), coalesce(cardinality(b.r), 0));
	ELSIF a.error IS NOT NULL THEN
		RETURN 'error ' || a.error;
	END IF;
	RETURN 'ok ' || fuzz_lib.nodes(query, mode, args);
END $$;

-- What must hold with one plan for each query:
--	partition	the first gives the rows of the others together
--	prefix		the second gives limit_n rows of the first, from offset_n on
--	reverse		the second gives the rows of the first backward
--	count		the second gives the number of rows of the first
CREATE FUNCTION check_alone(kind text, queries text[], settings text,
	offset_n int DEFAULT 0, limit_n int DEFAULT 0) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a fuzz_lib.answer;
	b fuzz_lib.answer;
	part fuzz_lib.answer;
	query text;
	sorted text := CASE kind WHEN 'partition' THEN 'none' ELSE 'total' END;
	wrong text;
	used text := '';
BEGIN
	PERFORM fuzz_lib.set_all(settings);
	a := fuzz_lib.run(queries[1], sorted, 'plain', '', NULL);
	FOREACH query IN ARRAY queries[2:] LOOP
		part := fuzz_lib.run(query, sorted, 'plain', '', NULL);
		b.k := b.k || part.k;
		b.r := b.r || part.r;
		b.error := coalesce(b.error, part.error);
		IF part.error IS NULL THEN
			used := used || ' ' || fuzz_lib.nodes(query, 'plain', NULL);
		END IF;
	END LOOP;
	IF a.error IS NOT NULL OR b.error IS NOT NULL THEN
		RETURN 'error ' || coalesce(a.error, b.error);
	END IF;
	IF kind = 'prefix' THEN
		a.k := nullif(a.k[offset_n + 1:offset_n + limit_n], '{}');
		a.r := nullif(a.r[offset_n + 1:offset_n + limit_n], '{}');
	ELSIF kind = 'reverse' THEN
		a.k := (SELECT array_agg(k ORDER BY n DESC) FROM unnest(a.k) WITH ORDINALITY u(k, n));
		a.r := (SELECT array_agg(r ORDER BY n DESC) FROM unnest(a.r) WITH ORDINALITY u(r, n));
	ELSIF kind = 'count' THEN
		a.r := ARRAY[coalesce(cardinality(a.r), 0)::text];
		a.k := b.k;
	END IF;
	wrong := fuzz_lib.differs(sorted, a, b);
	IF wrong IS NOT NULL THEN
		RETURN format('difference in %s of %s', wrong, kind);
	END IF;
	RETURN 'ok' || used;
END $$;
