# Random queries with several conditions on one table: what a ZigzagScan answers.
package Fuzz::Scan;
use strict;
use warnings;
use Fuzz::Random;
use Fuzz::Table;
use Fuzz::Types;

sub new
{
	my ($class, $features) = @_;
	return bless { features => $features, table => Fuzz::Table->new($features) }, $class;
}

sub statements { return $_[0]{table}->statements; }
sub disturbance { return $_[0]{table}->disturbance; }
sub maintenance { return $_[0]{table}->maintenance; }

# A value to compare a column with; with $params, mostly one of those.
sub _constant
{
	my ($self, $col, $params, $row) = @_;
	my $table = $self->{table};
	my $type = bare_type($col->{type});
	my @cross = @{ $col->{type}{cross} };
	my $value = $table->value($col, $row // (chance(0.95) ? 1 + below($table->{rows} || 1) : 77777777));
	my $other = $value;

	$type = pick(@cross) if @cross && chance(0.2);
	if ($params && chance(0.7))
	{
		my @values = map { chance(0.05) ? "NULL::$type" : "($_)::$type" }
		  $value, $table->value($col, 1 + below($table->{rows} || 1));
		push @$params, [ $type, @values ];
		return '$' . scalar(@$params);
	}
	$value = "($value)::$type";
	return "NULL::$type" if chance(0.01);
	return "(SELECT $value)" if chance(0.1);
	return "coalesce(nullif(current_setting('fuzz.none', true), ''), NULL, ($value)::text)::$type" if chance(0.1);
	return $value;
}

# A condition that binds a column of an index.
sub _equality
{
	my ($self, $col, $params) = @_;
	my $name = $col->{name};

	return "$name IS NULL" if !$col->{of} && chance($col->{nulls} > 0 ? 0.25 : 0.02);
	return pick($name, "NOT $name", "$name IS TRUE", "$name IS FALSE", "$name = true")
	  if $col->{type}{name} eq 'bool' && chance(0.7);
	my $value = $self->_constant($col, $params);
	return "$name IN ($value, " . $self->_constant($col, $params) . ', ' . $self->_constant($col, $params) . ')' if chance(0.07);
	return "($name = $value OR $name = " . $self->_constant($col, $params) . ')' if chance(0.04);
	return "$name = ANY (ARRAY[$value, " . $self->_constant($col) . '])' if chance(0.02) && !@{ $col->{type}{cross} } && $col->{type}{name} !~ /array/;
	return chance(0.9) ? "$name = $value" : "$value = $name";
}

# A condition that no index answers by itself, or a range.
sub _residual
{
	my ($self, $params) = @_;
	my $col = pick(@{ $self->{table}{cols} });
	my @ranges = map { $_->{col} } @{ $self->{table}{suffix} };

	if (chance(0.4))
	{
		my $col = @ranges && chance(0.8) ? pick(@ranges) : $col;
		my $value = $self->_constant($col, $params);
		return chance(0.3) ? "$col->{name} BETWEEN $value AND " . $self->_constant($col, $params)
		  : "$col->{name} " . pick('<', '<=', '>', '>=') . " $value";
	}
	return pick("leaky($col->{name}::text)", 'id % 3 <> 0', 'id > ' . below(2000), "$col->{name} IS NOT NULL",
		"($col->{name} IS NULL OR id % 2 = 0)", "$col->{name}::text COLLATE \"C\" < 'v5'",
		'(id % 2 = 0 OR ' . $self->_equality($col, $params) . ')',
		'NOT (' . $self->_equality($col, $params) . ')');
}

sub _conditions
{
	my ($self, $params) = @_;
	my $table = $self->{table};
	my @leads = shuffle(@{ $table->{leads} });
	my @where = map { $self->_equality($_, $params) } splice @leads, 0, pick(2, 2, 3, 4);

	push @where, $self->_equality(pick(@{ $table->{cols} }), $params) if chance(0.2);
	push @where, pick(@{ $table->{filters} }) if @{ $table->{filters} } && chance(0.5);
	push @where, $self->_residual($params) if chance(0.3);
	return shuffle(@where);
}

# An order that the indexes may give.  Returns two lists, of what to sort by and
# of what to print the keys by, and the order turned round.
sub _order
{
	my ($self, $total) = @_;
	my $table = $self->{table};
	my @wanted = @{ $table->{suffix} };
	my $back = chance(0.5);
	my (@order, @keys, @reverse);

	@wanted = ({ col => pick(@{ $table->{cols} }), dir => '' }) if !@wanted || chance(0.1);
	pop @wanted if @wanted > 1 && chance(0.2);
	for my $s (@wanted)
	{
		my ($name, $dir) = ($s->{col}{name}, $s->{dir});
		my $desc = $dir =~ /DESC/ ? 1 : 0;
		my $first = $dir =~ /FIRST/ ? 1 : $dir =~ /LAST/ ? 0 : $desc;
		($desc, $first) = (1 - $desc, 1 - $first) if $back;
		my @spell = map { ($_->[0] ? ' DESC' : '') . ($_->[1] ? ' NULLS FIRST' : ' NULLS LAST') }
		  [ $desc, $first ], [ 1 - $desc, 1 - $first ];
		push @order, "$name$spell[0]";
		push @reverse, "$name$spell[1]";
		push @keys, canonical($s->{col}{type}, $name);
	}
	if ($total)
	{
		push @order, 'tableoid', 'ctid';
		push @reverse, 'tableoid DESC', 'ctid DESC';
		push @keys, 'ctid';
	}
	return (\@order, \@keys, \@reverse);
}

# What is selected.
sub _list
{
	my ($self) = @_;
	my @list = chance(0.15) ? ('f') : chance(0.15) ? ('ctid', 'tableoid::regclass', 'id')
	  : chance(0.1) ? ('1') : map { pick(@{ $self->{table}{cols} })->{name} } 1 .. pick(1, 1, 2, 3);
	push @list, 'id' if chance(0.2);
	return @list;
}

sub _select
{
	my ($keys, $list, $rest) = @_;
	return sprintf 'SELECT ROW(%s)::text AS k, ROW(%s)::text AS r FROM %s',
	  join(', ', @$keys), join(', ', @$list), $rest;
}

sub settings
{
	my @settings = ('zigzag.debug_force = ' . (chance(0.85) ? 'on' : 'off'));

	push @settings, 'work_mem = 64kB' if chance(0.2);
	for my $what (qw(seqscan indexscan indexonlyscan bitmapscan sort hashagg nestloop hashjoin mergejoin material memoize incremental_sort))
	{
		push @settings, "enable_$what = off" if chance(0.05);
	}
	push @settings, 'enable_partitionwise_join = on' if chance(0.1);
	push @settings, 'enable_partitionwise_aggregate = on' if chance(0.1);
	push @settings, 'zigzag.max_sides = ' . pick(2, 3) if chance(0.1);
	push @settings, 'random_page_cost = ' . pick(0.1, 100) if chance(0.1);
	push @settings, 'cursor_tuple_fraction = ' . pick(0.001, 1) if chance(0.2);
	push @settings, 'role = fuzz_reader' if chance(0.05);
	push @settings, 'zigzag.enable_' . pick('scan', 'notin', 'mark', 'mark') . ' = off' if chance(0.06);
	return @settings;
}

# Workers, though the tables are so small that no one would use them; not where
# they would be started again for each row.
sub parallel
{
	my ($check, $features) = @_;
	return if $check->{query} =~ /LATERAL|\(SELECT (count|array_agg|bool_and|string_agg)/;
	$check->{settings} .= join('; ', '', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
		'min_parallel_index_scan_size = 0', 'max_parallel_workers_per_gather = 2',
		chance(0.4) ? ('parallel_leader_participation = off') : (),
		chance(0.3) ? ('enable_parallel_hash = off') : (),
		chance(0.3) ? ("$features->{force_parallel} = on") : ());
}

# One check, the arguments of a function of check.sql.
sub check
{
	my ($self) = @_;
	my @settings = settings();
	my $settings = join('; ', @settings);
	my $kind = rand();

	return $self->_alone($settings) if $kind < 0.12;
	return $self->_change($settings) if $kind < 0.18 && $settings !~ /role/;
	return $self->_joined($settings) if $kind < 0.32;
	return $self->_grouped($settings) if $kind < 0.40;
	return $self->_simple($settings);
}

sub _simple
{
	my ($self, $settings) = @_;
	my $params = chance(0.25) ? [] : undef;
	my @where = $self->_conditions($params);
	my ($sorted, $order, $keys) = ('none', [], ['1']);
	my $limit = '';

	if (chance(0.55))
	{
		my $total = chance(0.3);
		($order, $keys) = $self->_order($total);
		$sorted = $total ? 'total' : 'keys';
		if (chance(0.5))
		{
			$limit = ' LIMIT ' . pick(0, 1, 3, 10, 100) . (chance(0.2) ? ' OFFSET ' . pick(1, 5) : '');
			$sorted = 'limit' if !$total;
		}
	}
	my $from = pick(('f') x 12, 'f_view f', 'f_barrier f', '(SELECT * FROM f UNION ALL SELECT * FROM f) f');
	my @list = $self->_list;
	if ($from ne 'f')
	{
		@list = ('id', $list[-1]) if "@list" =~ /ctid/;
		if ($sorted eq 'total') { $sorted = 'none'; ($order, $keys, $limit) = ([], ['1'], ''); }
	}
	my $query = _select($keys, \@list, "$from WHERE " . join(' AND ', @where)) .
	  (@$order ? ' ORDER BY ' . join(', ', @$order) : '') . $limit;
	if ($from eq 'f' && chance(0.06))
	{
		my $lock = pick('FOR UPDATE', 'FOR SHARE', 'FOR NO KEY UPDATE', 'FOR KEY SHARE SKIP LOCKED');
		$query = "SELECT * FROM ($query $lock) locked" if $settings !~ /role/;
	}
	my %check = (query => $query, sorted => $sorted, settings => $settings,
		mode => pick(('plain') x 6, 'loop', $query =~ /locked$/ ? 'loop' : ('slow', 'scroll', 'abort')));
	if ($params && @$params)
	{
		$check{mode} = 'prepared';
		$check{settings} .= '; plan_cache_mode = ' . pick(('force_generic_plan') x 4, 'force_custom_plan', 'auto');
		$check{types} = '(' . join(', ', map { $_->[0] } @$params) . ')';
		$check{args} = [ map { my $i = $_; '(' . join(', ', map { $_->[$i] } @$params) . ')' } 1, 2, 1 ];
	}
	return \%check;
}

# What needs no second plan.
sub _alone
{
	my ($self, $settings) = @_;
	my @where = $self->_conditions;
	my @list = $self->_list;
	my $kind = pick('partition', 'prefix', 'reverse', 'count');
	my %check = (alone => $kind, settings => $settings);

	if ($kind eq 'partition')
	{
		# a part of the conditions is split, so that there are others to use
		my $n = @where > 2 ? 1 + below(@where - 1) : 0;
		$check{query} = _select(['1'], \@list, 'f WHERE ' . join(' AND ', @where[ 0 .. $n - 1 ], '{p}'));
		$check{p} = join(' AND ', @where[ $n .. $#where ]);
		return \%check;
	}
	my ($order, $keys, $reverse) = $self->_order(1);
	$check{query} = _select($kind eq 'count' ? ['1'] : $keys, \@list, 'f WHERE ' . join(' AND ', @where));
	@check{qw(order reverse)} = map { join(', ', @$_) } $order, $reverse;
	@check{qw(offset limit)} = (pick(0, 0, 1, 5), pick(1, 3, 10, 50));
	return \%check;
}

# Changes, which are undone.
sub _change
{
	my ($self, $settings) = @_;
	my $where = join(' AND ', $self->_conditions);
	my $returning = "RETURNING '' AS k, ROW(f.*)::text AS r";
	my $col = pick(@{ $self->{table}{cols} });
	my $value = pick('NULL', $self->{table}->value($col, 'id + 1'));

	return { mode => 'dml', sorted => 'none', settings => $settings,
		query => pick("DELETE FROM f WHERE $where $returning",
			"UPDATE f SET $col->{name} = $value WHERE $where $returning",
			"UPDATE f SET id = f.id + 100000 FROM (SELECT id AS o_id FROM f WHERE $where) o WHERE o_id = id AND $where $returning",
			"INSERT INTO f SELECT * FROM f WHERE $where $returning") };
}

# f as a part of larger queries, mostly such that run it again and again.
sub _joined
{
	my ($self, $settings) = @_;
	my @where = $self->_conditions;
	my @leads = shuffle(@{ $self->{table}{leads} });
	my @joined = map { my $x = $_->{of} ? $_->{of} : $_; "f.$x->{name} = d.$x->{name}" } @leads[ 0 .. pick(0, 1) ];
	my $some = join(' AND ', map { s/(?<![\w.'])(c\d|id)\b/f.$1/gr } @where[ 0, 1 .. pick(0, 1) ]);
	my $on = join(' AND ', @joined, chance(0.7) ? $some : ());
	my $list = join(', ', map { s/^(?=\w)/f./r } grep { /^(c\d|id)$/ } ('id', $self->_list));
	my $k = "'' AS k";

	return { mode => pick(('plain') x 4, 'loop', 'scroll'), sorted => 'none', settings => $settings,
		query => pick(
			"SELECT $k, ROW(d.id, $list)::text AS r FROM d, LATERAL (SELECT * FROM f WHERE $on OFFSET 0) f",
			"SELECT $k, ROW(d.id, $list)::text AS r FROM d LEFT JOIN f ON $on",
			"SELECT $k, ROW(d.id, $list)::text AS r FROM d JOIN f ON $on",
			"SELECT $k, ROW(d.id, (SELECT count(*) FROM f WHERE $on))::text AS r FROM d",
			"SELECT $k, ROW(d.id, (SELECT array_agg(f.id ORDER BY f.id) FROM f WHERE $on))::text AS r FROM d",
			"SELECT $k, ROW(d.id, l.*)::text AS r FROM d, LATERAL (SELECT count(*), min(f.id), max(f.id) FROM f WHERE $on) l",
			"SELECT $k, d.id::text AS r FROM d WHERE EXISTS (SELECT 1 FROM f WHERE $on)",
			"SELECT $k, d.id::text AS r FROM d WHERE NOT EXISTS (SELECT 1 FROM f WHERE $on)",
			"SELECT $k, d.id::text AS r FROM d WHERE d.id IN (SELECT f.id FROM f WHERE $some)",
			"SELECT $k, ROW(a.id, b.id)::text AS r FROM (SELECT * FROM f WHERE " . join(' AND ', @where) .
			  ') a JOIN (SELECT * FROM f WHERE ' . join(' AND ', @where) . ') b ON a.id = b.id',
			"SELECT $k, f.id::text AS r FROM f WHERE $some EXCEPT SELECT '', d.id::text FROM d") };
}

sub _grouped
{
	my ($self, $settings) = @_;
	my $where = join(' AND ', $self->_conditions);
	my $col = @{ $self->{table}{suffix} } ? $self->{table}{suffix}[0]{col} : pick(@{ $self->{table}{cols} });
	my ($name, $k) = ($col->{name}, canonical($col->{type}, $col->{name}));

	return { mode => pick('plain', 'loop'), sorted => 'none', settings => $settings,
		query => pick("SELECT '' AS k, ROW(count(*), count($name), min(id), max(id), sum(id))::text AS r FROM f WHERE $where",
			"SELECT '' AS k, ROW($k, count(*), min(id))::text AS r FROM f WHERE $where GROUP BY $name, $k",
			"SELECT '' AS k, ROW($k)::text AS r FROM (SELECT DISTINCT ON ($name) * FROM f WHERE $where ORDER BY $name) u",
			"SELECT '' AS k, ROW(id, count(*) OVER (PARTITION BY $name), rank() OVER (ORDER BY $name))::text AS r FROM f WHERE $where",
			"WITH w AS MATERIALIZED (SELECT * FROM f WHERE $where) SELECT '' AS k, ROW(a.id, b.id)::text AS r FROM w a JOIN w b USING (id)",
			"SELECT '' AS k, ROW($k, count(*))::text AS r FROM f WHERE $where GROUP BY ROLLUP ($name, $k) HAVING count(*) > 1") };
}

1;
