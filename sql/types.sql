-- Every type with a btree operator class, as a bound column and as a suffix.
-- Values are made of h, an integer in [0, 6); a side on it and one on "other".
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'merry', 'glad', 'dull');
CREATE DOMAIN posint AS int CHECK (VALUE >= 0);
CREATE TYPE pair AS (x int, y text);

-- NULL where all is well: both uses of the type are zigzagged and answer alike.
CREATE FUNCTION try_type(type text, expr text, literal text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  r record;
  q text;
  wrong text := '';
BEGIN
  EXECUTE format('CREATE TABLE tt (id int, v %s, other int, third int, fourth int)', type);
  EXECUTE format('INSERT INTO tt SELECT g, CASE WHEN g %% 11 > 0 THEN (%s) END, g %% 5, g %% 3, g %% 4
                  FROM (SELECT g, zz_hash(g, 1, 6) AS h FROM generate_series(1, 1500) g) s', expr);
  CREATE INDEX tt_v ON tt (v);
  CREATE INDEX tt_o ON tt (other);
  CREATE INDEX tt_fv ON tt (fourth, v);
  CREATE INDEX tt_tv ON tt (third, v);
  ANALYZE tt;
  FOREACH q IN ARRAY ARRAY[
    format('SELECT id, v FROM tt WHERE v = %s AND other = 3', literal),
    format('SELECT count(*) FROM tt WHERE v = %s AND other = 3', literal),
    format('SELECT v FROM tt WHERE v = %s AND other = 3', literal),
    'SELECT id, v FROM tt WHERE v IS NULL AND other = 3',
    'SELECT v FROM tt WHERE fourth = 3 AND third = 1',
    'SELECT id, v FROM tt WHERE fourth = 3 AND third = 1',
    'SELECT v FROM tt WHERE fourth = 3 AND third = 1 ORDER BY v',
    'SELECT v FROM tt WHERE fourth = 3 AND third = 1 ORDER BY v DESC',
    'SELECT v FROM tt WHERE fourth = 3 AND third = 1 ORDER BY v DESC LIMIT 20']
  LOOP
    -- numeric and the like sort values together that print differently
    IF q LIKE '%ORDER BY%' AND type ~ '^(numeric|float8|interval|text COLLATE)' THEN
      q := 'SELECT count(*) FROM (' || q || ') s';
    END IF;
    r := zz_check(q);
    IF NOT r.zigzag OR r.diff > 0 OR (r.nrows = 0 AND q NOT LIKE '%v =%') THEN
      wrong := wrong || format(E'%s: %s\n', q, r);
    END IF;
  END LOOP;
  EXECUTE format('SELECT count(*) FROM tt WHERE v = %s', literal) INTO r;
  IF r.count = 0 THEN wrong := wrong || 'no row has the value ' || literal; END IF;
  DROP TABLE tt;
  RETURN nullif(wrong, '');
END $$;

-- IS NULL of a composite value asks for its fields: no index can answer it.
SELECT type, try_type(type, expr, literal) AS wrong FROM (VALUES
  ('int2', 'h', '2::int2'), ('int4', 'h', '2'), ('int8', 'h', '2::int8'),
  ('int8', 'CASE h WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE h END', '9223372036854775807'),
  ('int4', 'h', '2::int8'), ('int8', 'h', '2::int2'), ('int2', 'h', '2::int4'),
  ('numeric', 'CASE WHEN g % 2 = 0 THEN h::numeric ELSE round(h::numeric, 2) END', '2.0'),
  ('float4', 'h / 3.0', '(1/3.0)::float4'), ('float8', 'h / 3.0', '0.0'),
  ('float8', $$CASE h WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN '-Infinity' ELSE 'Infinity' END::float8$$, $$'NaN'::float8$$),
  ('float8', $$CASE h WHEN 0 THEN '-0' WHEN 1 THEN '0' ELSE '1' END::float8$$, '0::float8'),
  ('text', $$'value ' || h$$, $$'value 3'$$),
  ('text COLLATE "C"', $$repeat('long ', 50) || h$$, $$repeat('long ', 50) || '3'$$),
  ('varchar(20)', $$'value ' || h$$, $$'value 3'$$),
  ('char(12)', $$'value ' || h$$, $$'value 3'$$),
  ('name', $$'value ' || h$$, $$'value 3'$$), ('name', $$'value ' || h$$, $$'value 3'::text$$),
  ('"char"', $$chr((97 + h)::int)$$, $$'c'::"char"$$),
  ('bytea', $$decode(md5(h::text), 'hex')$$, $$decode(md5('3'), 'hex')$$),
  ('bool', 'h % 2 = 0', 'true'),
  ('date', $$date '2024-01-01' + h::int$$, $$date '2024-01-03'$$),
  ('date', $$CASE h WHEN 0 THEN date 'infinity' WHEN 1 THEN date '-infinity' ELSE date '2024-01-01' + h::int END$$, $$date 'infinity'$$),
  ('date', $$date '2024-01-01' + h::int$$, $$timestamp '2024-01-03'$$),
  ('time', $$time '12:00' + h * interval '1 hour'$$, $$time '14:00'$$),
  ('timetz', $$timetz '12:00+00' + h * interval '1 hour'$$, $$timetz '14:00+00'$$),
  ('timestamp', $$timestamp '2024-01-01' + h * interval '1 day'$$, $$timestamp '2024-01-03'$$),
  ('timestamptz', $$timestamptz '2024-01-01 00:00+00' + h * interval '1 day'$$, $$timestamptz '2024-01-03 00:00+00'$$),
  ('timestamptz', $$CASE h WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE timestamptz '2024-01-01 00:00+00' END$$, $$timestamptz '-infinity'$$),
  ('interval', $$CASE WHEN g % 2 = 0 THEN h * interval '1 day' ELSE h * interval '24 hours' END$$, $$interval '48 hours'$$),
  ('uuid', 'md5(h::text)::uuid', $$md5('3')::uuid$$),
  ('uuid', $$('00000000-0000-0000-0000-00000000000' || h)::uuid$$, $$'00000000-0000-0000-0000-000000000003'::uuid$$),
  ('oid', 'h', '3::oid'), ('inet', $$('10.0.0.' || h)::inet$$, $$inet '10.0.0.3'$$),
  ('macaddr', $$('08:00:2b:01:02:0' || h)::macaddr$$, $$macaddr '08:00:2b:01:02:03'$$),
  ('bit(4)', 'h::int::bit(4)', $$B'0011'$$), ('money', 'h::int::money', '3::money'),
  ('int[]', 'ARRAY[h, 7]', 'ARRAY[3, 7]'), ('text[]', $$ARRAY['x', h::text]$$, $$ARRAY['x', '3']$$),
  ('int4range', 'int4range(h::int, h::int + 5)', 'int4range(3, 8)'),
  ('mood', '(enum_range(NULL::mood))[h + 1]', $$'happy'::mood$$),
  ('posint', 'h', '3'), ('posint', 'h', '3::posint'),
  ('pair', $$ROW(h, 'y')::pair$$, $$ROW(3, 'y')::pair$$),
  ('jsonb', $$jsonb_build_object('k', h)$$, $$'{"k": 3}'::jsonb$$),
  ('tsvector', $$to_tsvector('simple', 'w' || h)$$, $$to_tsvector('simple', 'w3')$$),
  ('pg_lsn', $$('0/' || h)::pg_lsn$$, $$pg_lsn '0/3'$$)) v(type, expr, literal);

-- a value comes from the index that stores it, never from the condition
SET zigzag.debug_force = on;
CREATE TABLE num (v numeric, k int);
INSERT INTO num SELECT CASE WHEN g % 2 = 0 THEN 1.0 ELSE 1.00 END, g % 2 FROM generate_series(1, 6) g;
CREATE INDEX num_v ON num (v);
CREATE INDEX num_k ON num (k);
VACUUM ANALYZE num;
SELECT v FROM num WHERE v = 1 AND k = 1;
SELECT v FROM num WHERE v = 1 AND k = 0;
