-- Order of the output: suffixes of every length, direction and NULLS order.
CREATE TABLE o (id bigint, a int, b int, x int, y text, z timestamptz);
INSERT INTO o SELECT g, g % 3, g % 4, nullif(zz_hash(g, 1, 30), 7), nullif('y' || zz_hash(g, 2, 6), 'y3'),
       timestamptz '2024-01-01 00:00+00' + zz_hash(g, 3, 50) * interval '1 hour'
FROM generate_series(1, 6000) g;

-- Each way to index and each way to ask that it can answer.
CREATE FUNCTION try_order(idx text, VARIADIC orders text[]) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  r record;
  ord text;
  q text;
BEGIN
  EXECUTE format('CREATE INDEX o_a ON o (a, %s) WITH (fillfactor = 30)', idx);
  EXECUTE format('CREATE INDEX o_b ON o (b DESC, %s)', idx);
  ANALYZE o;
  FOREACH ord IN ARRAY orders LOOP
    FOREACH q IN ARRAY ARRAY[
      'SELECT %2$s FROM o WHERE a = 1 AND b = 2 ORDER BY %1$s',
      'SELECT %2$s FROM o WHERE a = 1 AND b = 2 ORDER BY %1$s LIMIT 5',
      'SELECT %2$s FROM o WHERE a = 1 AND b = 2 ORDER BY %1$s LIMIT 40 OFFSET 3',
      'SELECT %2$s FROM o WHERE a = 1 AND b = 2 AND id %% 5 = 0 ORDER BY %1$s LIMIT 30']
    LOOP
      r := zz_check(format(q, ord, regexp_replace(ord, ' (ASC|DESC|NULLS|FIRST|LAST)', '', 'g')));
      RETURN NEXT format('(%s) by %s: %s%s', idx, ord, r,
        CASE WHEN EXISTS (SELECT FROM zz_explain(format(q, ord, '1')) l WHERE l ~ 'Sort') THEN ' sorted' ELSE '' END)
        ;
    END LOOP;
  END LOOP;
  DROP INDEX o_a, o_b;
END $$;
SET zigzag.debug_force = on;
SELECT * FROM try_order('x', 'x', 'x DESC', 'x NULLS FIRST');
SELECT * FROM try_order('x DESC', 'x DESC', 'x');
SELECT * FROM try_order('x NULLS FIRST', 'x NULLS FIRST', 'x DESC NULLS LAST');
SELECT * FROM try_order('x DESC NULLS LAST', 'x DESC NULLS LAST', 'x NULLS FIRST');
SELECT * FROM try_order('y, x', 'y, x', 'y DESC, x DESC', 'y');
SELECT * FROM try_order('z DESC, x', 'z DESC, x', 'z, x DESC', 'z DESC');
SELECT * FROM try_order('x, y DESC, z', 'x, y DESC, z', 'x DESC, y, z DESC', 'x, y DESC');
SELECT * FROM try_order('(x % 10), y', '(x % 10), y', '(x % 10) DESC, y DESC');

-- grouping, distinct, min and max, merge joins, window functions use the order
CREATE INDEX o_ax ON o (a, x);
CREATE INDEX o_bx ON o (b, x);
ANALYZE o;
SELECT * FROM zz_check('SELECT x, count(*) FROM o WHERE a = 1 AND b = 2 GROUP BY x ORDER BY x');
SELECT * FROM zz_check('SELECT DISTINCT x FROM o WHERE a = 1 AND b = 2 ORDER BY x DESC');
SELECT * FROM zz_check('SELECT min(x), max(x) FROM o WHERE a = 1 AND b = 2');
SELECT * FROM zz_check('SELECT x, row_number() OVER (ORDER BY x) FROM o WHERE a = 1 AND b = 2 ORDER BY 1, 2');
SELECT * FROM zz_check('SELECT s.x, t.x FROM (SELECT * FROM o WHERE a = 1 AND b = 2) s JOIN (SELECT * FROM o WHERE a = 2 AND b = 1) t USING (x) ORDER BY s.x LIMIT 50');
