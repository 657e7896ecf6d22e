# A random table f with its indexes and rows, the way they come about (so that
# pages split, rows die, and slots are used again), and what may be asked of it.
package Fuzz::Table;
use strict;
use warnings;
use Fuzz::Random;
use Fuzz::Types;

# cols		columns: name, type, seed, clump, domain, nulls (percent)
# leads		what indexes begin with: columns, or expressions of one
# suffix	what most indexes end with: { col, dir }
# filters	predicates of partial indexes
# rows, kind
sub new
{
	my ($class, $features) = @_;
	my $self = bless { features => $features, cols => [], leads => [], suffix => [], filters => [] }, $class;

	$self->{rows} = pick(0, 3, 50, 150, 300, 300, 600, chance(0.2) ? 3000 : 400);
	$self->{kind} = pick(('plain') x 6, 'UNLOGGED', 'TEMP', 'partitioned', 'attached', 'inherited');
	for my $i (0 .. 2 + below(6))
	{
		push @{ $self->{cols} }, {
			name => "c$i",
			type => type(pick(type_names(), qw(int4 int4 int4 text text ts bool)), $features),
			seed => below(1000),
			clump => pick(1, 1, 1, 20, 200),
			domain => pick(1, 2, 3, 3, 5, 10, 50, 1000),
			nulls => pick(0, 0, 5, 30, 95) };
	}
	for my $i (1 .. pick(0, 0, 1, 1, 1, 2, 3))
	{
		push @{ $self->{suffix} }, { col => pick(@{ $self->{cols} }),
			dir => pick('', '', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST') };
	}
	$self->{indexes} = [ map { $self->_index } 1 .. 3 + below(5) ];
	return $self;
}

# The value of a column in row $g, an SQL expression or a number.
sub value
{
	my ($self, $col, $g) = @_;
	return value_of($col->{type}, hashed("($g) / $col->{clump}", $col->{seed}, $col->{domain}), $g)
	  unless $col->{of};
	(my $expr = $col->{expr}) =~ s/%c/$self->value($col->{of}, $g)/ge;
	return $expr;
}

# The same, or NULL.
sub nullable_value
{
	my ($self, $col, $g) = @_;
	my $value = $self->value($col, $g);
	return $value unless $col->{nulls};
	return "CASE WHEN " . hashed($g, $col->{seed} + 5000, 100) . " >= $col->{nulls} THEN $value END";
}

# An expression of a column that may be indexed, with a value as a column has.
sub _expression
{
	my ($self, $col) = @_;
	my $name = $col->{type}{name};
	my ($expr, $type) = $name =~ /^int[248]s?$/ ? pick(['%c % 3', $name], ['-%c', $name], ['(%c > 2)', 'bool'], ['(%c = 1)', 'bool'])
	  : $name =~ /^(text|textc|textlong|varchar|domain_text)$/ ? ['length(%c)', 'int4'] : ['(%c IS NULL)', 'bool'];
	($expr, $type) = @$expr if ref $expr;
	return $col if $name eq 'int8';	# -(-2^63) is none
	my %copy = %$col;
	(my $sql = $expr) =~ s/%c/$col->{name}/;
	return { %copy, of => $col, expr => "($expr)", name => "($sql)", type => type($type, $self->{features}) };
}

sub _index
{
	my ($self) = @_;
	my @cols = @{ $self->{cols} };
	my %led = map { $_->{name} => 1 } @{ $self->{leads} };
	my $lead = pick(grep({ !$led{ $_->{name} } } @cols), pick(@cols));
	$lead = $self->_expression($lead) if chance(0.12);
	push @{ $self->{leads} }, $lead;

	my @key = ($lead->{name} . pick('', '', '', ' DESC', ' NULLS FIRST'));
	push @key, pick(@cols)->{name} if chance(0.15);
	push @key, map { "$_->{col}{name}$_->{dir}" } @{ $self->{suffix} } if chance(0.85);
	push @key, pick(@cols)->{name} . pick('', ' DESC') if chance(0.05);
	my $include = chance(0.2) ? ' INCLUDE (' . pick(@cols)->{name} . ')' : '';
	my @with;
	push @with, 'fillfactor = ' . pick(10, 15, 50) if chance(0.5);
	push @with, 'deduplicate_items = off' if chance(0.3);
	my $where = '';
	if (chance(0.15))
	{
		my $col = pick(@cols);
		$where = pick("$col->{name} IS NOT NULL", "$col->{name} IS NULL", 'id > ' . below(200),
			$col->{type}{name} =~ /^(int|text|bool|uuid|num)/ ? "$col->{name} = " . $self->value($col, 1 + below($self->{rows} || 1)) : ());
		push @{ $self->{filters} }, $where;
	}
	return sprintf '(%s)%s%s%s', join(', ', @key), $include,
	  @with ? ' WITH (' . join(', ', @with) . ')' : '', $where ? " WHERE $where" : '';
}

# Statements that create the table, without its indexes.
sub _create
{
	my ($self) = @_;
	my $kind = $self->{kind};
	my @cols = map { "$_->{name} $_->{type}{sql}" } @{ $self->{cols} };
	my $cols = join(', ', 'id int', @cols);
	my $with = chance(0.3) ? ' WITH (fillfactor = 40)' : '';
	my $others = join(', ', reverse('id int', @cols));

	if ($kind eq 'partitioned')
	{
		return pick(
			[ "CREATE TABLE f ($cols) PARTITION BY HASH (id)",
				map { "CREATE TABLE f$_ PARTITION OF f FOR VALUES WITH (MODULUS 3, REMAINDER $_)$with" } 0 .. 2 ],
			[ "CREATE TABLE f ($cols) PARTITION BY RANGE (id)",
				'CREATE TABLE f0 PARTITION OF f FOR VALUES FROM (1) TO (100) PARTITION BY HASH (id)',
				"CREATE TABLE f00 PARTITION OF f0 FOR VALUES WITH (MODULUS 1, REMAINDER 0)$with",
				"CREATE TABLE f1 PARTITION OF f FOR VALUES FROM (100) TO (10000)$with",
				"CREATE TABLE f2 PARTITION OF f DEFAULT$with" ]);
	}
	if ($kind eq 'attached')
	{
		# columns in another order, and one that was dropped
		return [ "CREATE TABLE f ($cols) PARTITION BY RANGE (id)",
			"CREATE TABLE f0 (gone int, $others)$with",
			'ALTER TABLE f0 DROP COLUMN gone',
			'ALTER TABLE f ATTACH PARTITION f0 FOR VALUES FROM (1) TO (200)',
			"CREATE TABLE f1 PARTITION OF f DEFAULT$with" ];
	}
	if ($kind eq 'inherited')
	{
		return [ "CREATE TABLE f ($cols)$with", "CREATE TABLE f0 (extra int, $others) INHERITS (f)$with",
			"CREATE TABLE f1 () INHERITS (f0)" ];
	}
	return [ 'CREATE ' . ($kind eq 'plain' ? '' : "$kind ") . "TABLE f ($cols)$with" ];
}

# A statement that inserts the rows from $a to $b.
sub insert
{
	my ($self, $a, $b, $into) = @_;
	my @cols = @{ $self->{cols} };
	return 'INSERT INTO ' . ($into // 'f') . ' (' . join(', ', 'id', map { $_->{name} } @cols) . ') SELECT ' .
	  join(', ', 'g', map { $self->nullable_value($_, 'g') } @cols) . " FROM generate_series($a, $b) g";
}

sub statements
{
	my ($self) = @_;
	my $rows = $self->{rows};
	my $some = int($rows * 0.8);
	my @all = @{ $self->_create };
	my @tables = $self->{kind} eq 'inherited' ? ('f', 'f0', 'f1') : ('f');
	my ($from, @into) = (1, @tables);

	for my $into (@tables)
	{
		my $to = $into eq $tables[-1] ? $some : int($from + $some / @tables);
		push @all, $self->insert($from, $to, $into);
		$from = $to + 1;
	}
	for my $index (@{ $self->{indexes} })
	{
		push @all, map { "CREATE INDEX ON $_ $index" } @tables;
	}
	push @all, $self->insert($some + 1, $rows);
	push @all, 'DELETE FROM f WHERE ' . hashed('id', 7, 10) . ' < 2' if chance(0.4);
	push @all, 'VACUUM f' if chance(0.4);
	push @all, 'UPDATE f SET ' . pick(@{ $self->{cols} })->{name} . ' = NULL WHERE ' . hashed('id', 8, 10) . ' < 2' if chance(0.3);
	push @all, 'UPDATE f SET id = -id WHERE ' . hashed('id', 9, 10) . ' < 3' if chance(0.3);
	push @all, $self->insert(10001, 10001 + int($rows / 5)) if chance(0.3);
	push @all, 'ALTER TABLE f ADD COLUMN late int DEFAULT 7' if chance(0.1);
	push @all, 'ANALYZE f' if chance(0.7);
	push @all, 'VACUUM f' if chance(0.5);

	# ways to look at it, and a small table to join it with
	my $half = 'id % 2 = 0 OR id > 100';
	push @all, "CREATE VIEW f_view AS SELECT * FROM f WHERE $half",
	  "CREATE VIEW f_barrier WITH (security_barrier) AS SELECT * FROM f WHERE $half",
	  'CREATE TABLE d AS SELECT * FROM f LIMIT 0', $self->insert(1, 8, 'd'), $self->insert(5, 6, 'd');
	push @all, 'ALTER TABLE f ENABLE ROW LEVEL SECURITY',
	  "CREATE POLICY f_some ON f FOR SELECT TO fuzz_reader USING ($half)"
	  if $self->{kind} ne 'TEMP';
	push @all, 'GRANT SELECT ON f, d, f_view, f_barrier TO fuzz_reader';
	return @all;
}

# What others do to the table meanwhile: one statement.
sub disturbance
{
	my ($self) = @_;
	my $k = 1 + below($self->{rows} || 1);
	my $end = $k + below(20);
	my $col = pick(@{ $self->{cols} });
	return pick(
		"UPDATE f SET $col->{name} = " . $self->value($col, 'id + 1') . " WHERE id BETWEEN $k AND $k + 3",
		"UPDATE f SET id = id WHERE id BETWEEN $k AND $end",
		"DELETE FROM f WHERE id BETWEEN $k AND $end",
		"BEGIN; DELETE FROM f WHERE id BETWEEN $k AND $end; " . $self->insert($k, $end) . '; COMMIT',
		"BEGIN; " . $self->insert(1, 100) . '; ROLLBACK',
		("BEGIN; DELETE FROM f WHERE id BETWEEN $k AND $end; " . $self->insert($k, $end) . '; COMMIT') x 4);
}

# The same for its indexes.
sub maintenance
{
	my ($self) = @_;
	my $index = pick(@{ $self->{indexes} });
	return pick(('VACUUM (INDEX_CLEANUP ON) f') x 4, 'ANALYZE f', 'REINDEX TABLE CONCURRENTLY f',
		$self->{kind} =~ /^(partitioned|attached)$/ ? 'VACUUM f' :
		  "DROP INDEX CONCURRENTLY IF EXISTS f_again; CREATE INDEX CONCURRENTLY f_again ON f $index");
}

1;
