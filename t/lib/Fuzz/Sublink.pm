# Random queries with IN, EXISTS and their kin: what becomes a NullAwareAntiJoin
# where only "true" counts, and a MarkJoin where the value is needed.
#
# Three tables, t, s and u, have the same columns; t is the outer one of a query.
package Fuzz::Sublink;
use strict;
use warnings;
use Fuzz::Random;
use Fuzz::Scan;
use Fuzz::Types;

# Columns: type, and the value of an integer %s.  What may be compared with one
# another is a family.
my %columns = (
	a => [int4 => '%s'],
	b => [int4 => '%s'],
	c => [int8s => '%s'],
	e => [int4 => '%s'],
	d => [text => "'x' || %s"],
	v => [varchar => "'x' || %s"],
	n => [numeric => 'CASE WHEN g %% 2 = 0 THEN %s ELSE round(%s, 2) END'],
	f => [float8 => "('{NaN,0,-0,1,2.5}'::float8[])[1 + %s %% 5]"],
	r => [pair => "ROW(CASE WHEN g %% 10 < 7 THEN %s %% 3 END, (%s %% 2)::text)::pair"],
	x => [domain_int => '%s'],
	z => [textnd => "(CASE WHEN g %% 2 = 0 THEN 'A' ELSE 'a' END) || %s"],
	y => [array => 'ARRAY[nullif(%s, 1)::int, 7]'],
	w => [enum => "('{sad,ok,glad,happy}'::mood[])[1 + %s %% 4]"],
);
my @families = ([qw(a b c e x)], [qw(a b c e x)], [qw(a b c e x)], [qw(a b c e n)], [qw(d v)], ['f'], ['r'], ['z'], ['y'], ['w']);

# $node is "notin" or "mark".
sub new
{
	my ($class, $features, $node) = @_;
	return bless { features => $features, node => $node, aliases => 0 }, $class;
}

sub statements
{
	my ($self) = @_;
	my @all;
	my $big = $self->{big} = chance(0.06);

	for my $name ('t', 's', 'u')
	{
		my $rows = chance(0.08) ? 0 : $big && $name ne 'u' ? 200 + below(chance(0.2) ? 1300 : 300) : 1 + below(pick(3, 25, 25, 60));
		my $domain = $big ? pick(50, 500, 2000) : pick(2, 4, 10);
		my $all_null = chance(0.05);
		my @names = sort keys %columns;
		my %not_null = (e => 1, map { chance(0.05) ? ($_ => 1) : () } @names);
		my (@defs, @values);

		for my $col (@names)
		{
			my ($type, $value) = @{ $columns{$col} };
			my $nulls = $all_null ? 100 : pick(0, 0, 3, 30, 70, chance(0.2) ? 100 : 0);
			my $seed = below(1000);
			$value =~ s/%%/%/g;
			$value =~ s/%s/hashed('g', $seed, $domain) . '::int'/ge;
			$value = "CASE WHEN " . hashed('g', $seed + 5000, 100) . " >= $nulls THEN $value END"
			  if $nulls && !$not_null{$col};
			push @defs, "$col " . type($type, $self->{features})->{sql} . ($not_null{$col} ? ' NOT NULL' : '');
			push @values, $value;
		}
		my $defs = join(', ', 'i int', @defs);
		my $kind = rand();
		if ($kind < 0.08)
		{
			push @all, "CREATE TABLE $name ($defs) PARTITION BY LIST (a)",
			  "CREATE TABLE ${name}_null PARTITION OF $name FOR VALUES IN (NULL, 1)",
			  "CREATE TABLE ${name}_rest PARTITION OF $name DEFAULT";
		}
		else
		{
			push @all, 'CREATE ' . ($kind < 0.12 ? 'UNLOGGED ' : $kind < 0.16 ? 'TEMP ' : '') . "TABLE $name ($defs)";
		}
		push @all, "INSERT INTO $name (" . join(', ', 'i', @names) . ') SELECT ' . join(', ', 'g', @values) .
		  " FROM generate_series(1, $rows) g";
		push @all, "CREATE INDEX ON $name (a)" if chance(0.3);
		push @all, "CREATE INDEX ON $name (" . join(', ', (shuffle(@names))[ 0, 1 ]) . ')' if chance(0.3);
		push @all, "CREATE INDEX ON $name (c) WHERE c IS NOT NULL" if chance(0.1);
		push @all, "ANALYZE $name" if chance(0.8);
		push @all, "VACUUM $name" if chance(0.3);
	}
	push @all, 'GRANT SELECT ON t, s, u TO fuzz_reader';
	push @all, 'ALTER TABLE s ENABLE ROW LEVEL SECURITY', 'CREATE POLICY s_some ON s FOR SELECT TO fuzz_reader USING (i % 3 <> 0)'
	  unless grep { /^CREATE TEMP TABLE s/ } @all;
	return @all;
}

sub disturbance
{
	my ($self) = @_;
	my $name = pick('t', 's', 's', 'u');
	my $k = 1 + below(25);
	return pick("UPDATE $name SET a = NULL WHERE i = $k", "UPDATE $name SET a = $k % 5, b = a WHERE i = $k",
		"UPDATE $name SET c = b, b = c WHERE i BETWEEN $k AND $k + 3",
		"BEGIN; DELETE FROM $name; ROLLBACK", "UPDATE $name SET i = i WHERE i >= $k");
}

sub maintenance { return pick('VACUUM t', 'VACUUM s', 'ANALYZE s', 'REINDEX TABLE CONCURRENTLY s'); }

# An expression over a column of a table.
sub _decorate
{
	my ($expr, $col, $outer) = @_;
	return $expr if $col !~ /^[abce]$/ || chance(0.8);
	return pick("$expr + 1", "$expr * 2", "$expr % 3", "coalesce($expr, 1)", "abs($expr)", "nullif($expr, 2)", $outer ? ('1', 'NULL::int') : ());
}

# A condition on one table.
sub _filter
{
	my ($t) = @_;
	return pick("$t.a > 1", "$t.b IS NOT NULL", "$t.e < 3", "$t.i % 2 = 0", "$t.d <> 'x1'", 'false',
		"$t.c IN (1, 2)", 'true', "$t.n IS NULL", "$t.a IS NOT NULL");
}

# Conditions that tie the subquery over $s to the outer table $t.
sub _correlations
{
	my ($self, $s, $t, $depth) = @_;
	my @where;

	push @where, _filter($s) if chance(0.35);
	if (chance(0.4))
	{
		push @where, pick("$s.b = $t.b", "$t.e = $s.e", "$s.d = $t.d", "$s.a = $t.c", "$s.n = $t.n");
		push @where, pick("$s.a = $t.a", "$s.v = $t.d", "$t.c = $s.e") if chance(0.2);
		push @where, pick("$s.i > $t.i", "$s.b <> $t.b", "$t.a > 1", "$s.a + $t.a < 6",
			"($s.b < $t.b OR $s.d IS NULL)", "coalesce($t.c, $s.c) > 1") if chance(0.3);
	}
	push @where, $self->_sublink($s, $depth + 1) if $depth == 0 && chance(0.1);
	push @where, '(' . _filter($s) . ' OR ' . $self->_sublink($s, $depth + 1) . ')' if $depth == 0 && chance(0.12);
	push @where, '(' . _filter($s) . ' OR ' . _filter($s) . ')' if chance(0.1);
	return @where;
}

# A sublink over the columns of the outer table $t.
sub _sublink
{
	my ($self, $t, $depth) = @_;
	my $s = 's' . ++$self->{aliases};
	my $nkeys = pick(1, 1, 1, 2, 2, 3, 4);
	my (@outer, @inner);

	for (1 .. $nkeys)
	{
		my $family = pick(@families);
		my ($x, $y) = (pick(@$family), pick(@$family));
		push @outer, _decorate("$t.$x", $x, 1);
		push @inner, _decorate("$s.$y", $y);
	}
	my @where = $self->_correlations($s, $t, $depth);
	my $from = pick('s', 's', 's', 't', 'u') . " $s";
	$from .= ' TABLESAMPLE BERNOULLI (50) REPEATABLE (7)' if chance(0.04);
	$from .= " JOIN u j$s ON j$s.e = $s.e" if chance(0.1);
	$from .= " LEFT JOIN u k$s ON k$s.b = $s.a" if chance(0.1);
	my $where = @where ? ' WHERE ' . join(' AND ', @where) : '';

	if (chance($self->{node} eq 'notin' && $depth == 0 ? 0.05 : 0.35))
	{
		# EXISTS: the keys become conditions
		my $w = ' WHERE ' . join(' AND ', @where, map { "$inner[$_] = $outer[$_]" } 0 .. $#outer);
		return pick('', 'NOT ') . "EXISTS (SELECT " . pick('1', '*', "$s.a", '') . " FROM $from$w" . (chance(0.1) ? ' LIMIT 1' : '') . ')';
	}

	my $x = $nkeys == 1 ? $outer[0] : '(' . join(', ', @outer) . ')';
	my $list = join(', ', @inner);
	my $select = "SELECT $list FROM $from$where";
	my $number = $nkeys == 1 && $outer[0] =~ /^\w+\.[abce]$/;
	my $kind = rand();
	if ($kind < 0.06) { $select = "SELECT DISTINCT $list FROM $from$where"; }
	elsif ($kind < 0.12) { $select .= " GROUP BY $list"; }
	elsif ($kind < 0.16) { $select .= " UNION ALL $select"; }
	elsif ($kind < 0.20) { $select .= ' ORDER BY ' . join(', ', 1 .. $nkeys) . ' LIMIT 3' if $list !~ /\.[zfn]\b/; }
	elsif ($kind < 0.24) { $select = "WITH w AS (SELECT * FROM u) SELECT $list FROM $from JOIN w ON w.e = $s.e$where"; }
	elsif ($kind < 0.26) { $select .= ' OFFSET 0'; }
	elsif ($kind < 0.29 && $number) { $select = "SELECT max($inner[0]) FROM $from$where" . pick('', " GROUP BY $s.c"); }
	elsif ($kind < 0.31 && $number) { $select = 'VALUES (1), (NULL), (3)'; }
	elsif ($kind < 0.33 && $number) { $select = "SELECT generate_series(1, 2) FROM $from$where"; }

	my $op = rand();
	$op = 0.5 + $op / 2 if $self->{node} eq 'notin' && $depth == 0;
	return "$x IN ($select)" if $op < 0.5;
	return "$x NOT IN ($select)" if $op < 0.8;
	return "NOT ($x = ANY ($select))" if $op < 0.85;
	return $self->{node} eq 'notin' ? "$x <> ALL ($select)" : "$x = ANY ($select)" if $op < 0.93;
	return "$x <> ALL ($select)";
}

# An expression with a sublink in it that must not be evaluated where it would
# raise an error.
sub _guarded
{
	my ($t) = @_;
	my $risky = "6 / ($t.e - 2)";
	my $from = pick('s', 's', 'u s') . ' WHERE ' . pick('true', 's.e > 1', 's.a IS NOT NULL');
	return pick("($t.e = 2 OR $risky " . pick('IN', 'NOT IN') . " (SELECT s.a FROM $from))",
		"CASE WHEN $t.e <> 2 THEN $risky " . pick('IN', 'NOT IN') . " (SELECT s.a FROM $from) END",
		"($t.e = 2 OR EXISTS (SELECT FROM $from AND s.e = $t.e AND s.b > $risky))",
		"($t.e = 2 OR ($risky > 1 AND $t.a IN (SELECT s.a FROM $from)))",
		"($t.e = 2 OR $risky > 1 OR $t.a IN (SELECT s.a FROM $from))",
		"CASE WHEN $t.e = 2 THEN $t.a IN (SELECT s.a FROM $from) ELSE $risky > 1 END");
}

# An expression with a sublink in it.
sub _expression
{
	my ($self, $t) = @_;
	return _guarded($t) if chance(0.05);
	my $link = $self->_sublink($t, 0);
	my $kind = below(16);

	return $link if $kind < 4;
	return "NOT ($link)" if $kind == 4;
	return "($link) IS " . pick('TRUE', 'NOT TRUE', 'FALSE', 'NOT FALSE', 'NULL', 'NOT NULL') if $kind < 8;
	return '(' . _filter($t) . " OR $link)" if $kind == 8;
	return '(' . _filter($t) . " AND $link)" if $kind == 9;
	return "CASE WHEN $link THEN 1 WHEN " . $self->_sublink($t, 0) . ' THEN 2 ELSE 3 END = 2' if $kind == 10;
	return "CASE $t.a WHEN 1 THEN $link ELSE " . _filter($t) . ' END' if $kind == 11;
	return "coalesce($link, " . _filter($t) . ')' if $kind == 12;
	return "($link) = (" . $self->_sublink($t, 0) . ')' if $kind == 13;
	return "($link OR " . $self->_sublink($t, 0) . ')' if $kind == 14;
	return "(NOT ($link) OR " . _filter($t) . ')';
}

# What t stands for in a query.
sub _from
{
	return pick('t', 't', 't', 't',
		't JOIN u ON u.e = t.e',
		's AS q LEFT JOIN t ON t.e = q.a',
		't LEFT JOIN u ON u.a = t.a',
		't, u',
		'(SELECT * FROM t WHERE e > 0) t',
		'u AS q RIGHT JOIN t ON t.e = q.a',
		'(SELECT * FROM t UNION ALL SELECT * FROM u) t');
}

sub _select
{
	my ($list, $rest) = @_;
	return "SELECT '' AS k, ROW($list)::text AS r FROM $rest";
}

# A sublink over t whose subquery depends on q, two levels up: each row of q has
# another set in it, with a NULL or without, or none at all.
sub _far_sublink
{
	my (@outer, @inner);

	for (1 .. pick(1, 1, 1, 2, 3))
	{
		my $family = pick(@families);
		push @outer, 't.' . pick(@$family);
		push @inner, 's.' . pick(@$family);
	}
	my ($x, $y) = (join(', ', @outer), join(', ', @inner));
	my $where = pick('s.e > q.e', 's.e = q.e', 's.b IS DISTINCT FROM q.b', 's.i % 3 = q.e % 3', '(s.a IS NOT NULL OR q.e > 2)', 's.i = q.i');
	return "($x) " . pick('IN', 'NOT IN', 'NOT IN') . " (SELECT $y FROM " . pick('s', 's', 'u s') . " WHERE $where)";
}

# A query that asks the same again for each row of q, of which the set depends.
sub _repeated
{
	my ($self) = @_;
	my ($p, $q) = (_far_sublink(), $self->{big} ? 'u q' : pick('u', 's', 't') . ' q');
	my $value = "string_agg(coalesce(($p)::text, '?'), '' ORDER BY t.i, t.ctid)";

	return $self->{node} eq 'notin'
	  ? pick(_select("q.i, (SELECT count(*) FROM t WHERE $p)", $q), _select('q.i, l.*', "$q, LATERAL (SELECT t.i, t.a FROM t WHERE $p OFFSET 0) l"))
	  : pick(_select("q.i, (SELECT $value FROM t WHERE t.e >= q.e)", $q), _select("q.i, (SELECT $value FROM t)", $q),
		_select('q.i, l.*', "$q, LATERAL (SELECT t.i, $p AS m FROM t OFFSET 0) l"));
}

# A query whose WHERE has a sublink in it.
sub _filtered
{
	my ($self) = @_;
	my $p = $self->_sublink('t', 0);
	return $self->_repeated if chance(0.08);
	$p .= ' AND ' . pick('t.a IS NOT NULL', 't.b > 1', 't.c <> 2', 't.a NOT IN (SELECT u.a FROM u)', 't.d IS NULL',
		'EXISTS (SELECT 1 FROM u WHERE u.a = t.a)', $self->_sublink('t', 0))
	  if chance(0.35);
	return pick((_select('t.*', "t WHERE $p")) x 6,
		_select('t.a, t.b, u.c', "t LEFT JOIN u ON t.b = u.b WHERE $p"),
		_select('t.a, t.b, u.c', "u LEFT JOIN t ON t.b = u.b WHERE $p"),
		_select('t.a, t.b, u.c', "t JOIN u ON t.b = u.b AND $p"),
		_select('count(*), max(a)', "(SELECT t.* FROM t WHERE $p) q GROUP BY b"),
		_select('u.a, q.*', "u LEFT JOIN (SELECT t.* FROM t WHERE $p) q ON q.a = u.a"),
		_select('u.a, q.n', "u, LATERAL (SELECT count(*) AS n FROM t WHERE t.b = u.b AND $p) q"));
}

# A query that needs the value of a sublink.
sub _valued
{
	my ($self) = @_;
	my $from = pick(1, 2) == 1 ? 't' : _from();
	my $e = sub { return $self->_expression('t'); };
	my $kind = rand();
	my @where;

	push @where, _filter('t') if chance(0.3);
	push @where, '(' . _filter('t') . ' OR ' . $e->() . ')' if chance(0.4);
	push @where, $self->_sublink('t', 0) if chance(0.1);
	push @where, '(' . $e->() . ') IS ' . pick('TRUE', 'NOT TRUE', 'NOT FALSE', 'NULL') if chance(0.1);
	my $w = @where ? ' WHERE ' . join(' AND ', @where) : '';

	return _select('count(*), sum(t.i)', "$from$w") if $kind < 0.12 && @where;
	return _select('q.*', '(SELECT ' . $e->() . ' AS e, count(*), count(*) FILTER (WHERE ' . $e->() . ") FROM $from$w GROUP BY 1) q") if $kind < 0.22;
	return _select('t.b, sum(CASE WHEN ' . $e->() . ' THEN t.i END), bool_or(' . $e->() . ')', "$from$w GROUP BY t.b" . pick('', ' HAVING count(*) > 1')) if $kind < 0.30;
	return _select('t.a, t.a IN (SELECT a FROM s), count(*), NOT (t.a IN (SELECT a FROM s))',
		"$from$w GROUP BY t.a, t.a IN (SELECT a FROM s)" . pick('', ' HAVING t.a IN (SELECT a FROM s)')) if $kind < 0.33;
	return _select('q.*', '(SELECT DISTINCT ' . $e->() . ', ' . $e->() . " FROM $from$w) q") if $kind < 0.38;
	return _select('t.i, rank() OVER (PARTITION BY ' . $e->() . ' ORDER BY t.i)', "t$w") if $kind < 0.42;
	# the mark below an outer join, in a subquery that is pulled up
	return _select('q.i, p.m', 'u q LEFT JOIN (SELECT t.i, t.a, ' . $e->() . " AS m FROM $from$w) p ON p.i = q.i" .
		  pick('', ' WHERE p.m IS NOT TRUE', ' WHERE p.m OR q.i > 3', ' AND p.m')) if $kind < 0.52;
	# run again for each row
	return pick(
		_select('q.i, (SELECT count(*) FROM t WHERE t.b = q.b AND (t.e = 1 OR ' . $self->_sublink('t', 0) . '))', 'u q'),
		_select('q.i, l.m', 'u q, LATERAL (SELECT ' . $e->() . ' AS m FROM t WHERE t.e = q.e) l'),
		_select('q.i, l.m', 'u q LEFT JOIN LATERAL (SELECT t.a IN (SELECT s.a FROM s WHERE s.e > q.e) AS m, t.i FROM t) l ON l.i = q.i'),
		$self->_repeated, $self->_repeated, $self->_repeated) if $kind < 0.64;
	return _select(join(', ', 't.i', map { $e->() } 1 .. pick(1, 1, 2)), "$from$w");
}

sub check
{
	my ($self) = @_;
	my @settings = Fuzz::Scan::settings();

	push @settings, 'work_mem = 64kB', 'hash_mem_multiplier = 1' if chance(0.4);
	push @settings, pick('zigzag.enable_mark = off', 'zigzag.enable_mark = off', 'zigzag.enable_or = off', 'zigzag.enable_probe = off') if chance(0.3);
	push @settings, 'zigzag.enable_or = off' if ($settings[-1] // '') eq 'zigzag.enable_mark = off' && chance(0.5);
	push @settings, 'geqo_threshold = 2', 'join_collapse_limit = 1' if chance(0.05);
	my $settings = join('; ', @settings);

	if (chance(0.08))
	{
		# three values, and each row has one of them
		my $p = $self->{node} eq 'notin' ? $self->_sublink('t', 0) : $self->_expression('t');
		return { alone => 'partition', settings => $settings, query => _select('t.i, t.a', 't WHERE {p}'), p => $p };
	}
	if (chance(0.05) && $settings !~ /role/)
	{
		my $p = $self->{node} eq 'notin' ? $self->_sublink('t', 0) : $self->_expression('t');
		return { mode => 'dml', sorted => 'none', settings => $settings,
			query => pick('DELETE FROM t', 'UPDATE t SET i = t.i + 1') . " WHERE $p RETURNING '' AS k, ROW(t.*)::text AS r" };
	}
	return { sorted => 'none', settings => $settings, mode => pick(('plain') x 6, 'loop', 'loop', 'scroll', 'abort'),
		query => $self->{node} eq 'notin' ? $self->_filtered : $self->_valued };
}

1;
