# A check, as the generators make it and as SQL.
#
# A generator gives a hash:
#	query		a query with the columns k and r, see check.sql
#	settings	"name = value; name = value"
# and either, for an answer with zigzag off and on to compare,
#	sorted		how far the order is determined
#	mode		how it is run: plain, prepared, loop, slow, scroll, abort, dml
#	types, args	for prepared: the types, and the values of each run
# or, for what must hold by itself,
#	alone		partition, prefix, reverse, count
#	p			for partition: the predicate, which goes into {p} of the query
#	order, reverse, offset, limit
package Fuzz::Check;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(call readable queries);

sub _quote { return "\$fuzz\$$_[0]\$fuzz\$"; }

# The queries of a check that stands alone.
sub queries
{
	my ($check) = @_;
	my $query = $check->{query};

	if ($check->{alone} eq 'partition')
	{
		return map { my $p = $_; $query =~ s/\{p\}/$p/r } 'true', "($check->{p})", "NOT ($check->{p})", "($check->{p}) IS NULL";
	}
	return ($query, "SELECT '' AS k, count(*)::text AS r FROM ($query) q") if $check->{alone} eq 'count';
	my $whole = "$query ORDER BY $check->{order}";
	return ($whole, "$query ORDER BY $check->{reverse}") if $check->{alone} eq 'reverse';
	return ($whole, "$whole LIMIT $check->{limit} OFFSET $check->{offset}");
}

# A statement that does the check and returns one line.
sub call
{
	my ($check) = @_;
	if ($check->{alone})
	{
		return sprintf 'SELECT fuzz_lib.check_alone(%s)', join(', ', _quote($check->{alone}),
			'ARRAY[' . join(', ', map { _quote($_) } queries($check)) . ']',
			_quote($check->{settings}), $check->{offset} // 0, $check->{limit} // 0);
	}
	return sprintf 'SELECT fuzz_lib.check_both(%s)', join(', ',
		map({ _quote($_) } @$check{qw(query sorted mode settings)}),
		$check->{types} ? (_quote($check->{types}), 'ARRAY[' . join(', ', map { _quote($_) } @{ $check->{args} }) . ']') : ());
}

# The same for a reader with psql, without check.sql.
sub readable
{
	my ($check) = @_;
	my @sql = map { /^(\S+) = (.*)/ ? "SET $1 = '$2'" : () } split /; /, $check->{settings};
	my @ask = $check->{alone} ? queries($check)
	  : $check->{mode} eq 'prepared' ? ('DEALLOCATE ALL', "PREPARE fuzz_query $check->{types} AS $check->{query}",
		map { "EXECUTE fuzz_query $_" } @{ $check->{args} })
	  : $check->{mode} eq 'dml' ? ('BEGIN', $check->{query}, 'ROLLBACK') : $check->{query};

	return (@sql, @ask) if $check->{alone};
	return (@sql, 'SET zigzag.enable = off', @ask, 'SET zigzag.enable = on', @ask);
}

1;
