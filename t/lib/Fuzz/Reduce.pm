# Make a failing case small: leave out, again and again, whatever it fails without.
#
# A case is a list of statements and a check (Fuzz/Check.pm).  In turn are left out
# statements, settings, columns, rows, and pieces of the text of queries and
# statements.  What is no SQL any more is found out by the server.  A piece is any
# run of tokens with its parentheses balanced, which needs no grammar; what has to
# be kept so that the check keeps its meaning stands in _keeps_meaning.
package Fuzz::Reduce;
use strict;
use warnings;
use Time::HiRes qw(time);

# test		called with (setup, check), setup undef if it is as in the last call;
#			true if it still fails
# value		asks the server for one value
# limit		of tests
# seconds
sub new
{
	my ($class, %options) = @_;
	return bless { tests => 0, limit => 6000, seconds => 120, %options }, $class;
}

sub reduce
{
	my ($self, $case) = @_;
	my ($size, $was) = (_size($case), 0);

	$self->{until} = time + $self->{seconds};
	$self->{original} = { %{ $case->{check} } };
	$self->{case} = { setup => [ @{ $case->{setup} } ], check => { %{ $case->{check} } } };
	do
	{
		$was = $size;
		$self->_statements;
		$self->_check;
		$self->_columns;
		$self->_rows;
		$self->_statement_texts;
		$size = _size($self->{case});
	} while ($size < $was && $self->_may_go_on);
	$self->_literal_rows;
	return $self->{case};
}

sub _size
{
	my ($case) = @_;
	return length(join('', @{ $case->{setup} }, grep { !ref } values %{ $case->{check} }));
}

sub _may_go_on { return $_[0]{tests} < $_[0]{limit} && time < $_[0]{until}; }

# Does the case still fail with these?  If so, it is the case from now on.
sub _try
{
	my ($self, $setup, $check) = @_;
	my $case = $self->{case};
	return 0 unless $self->_may_go_on;
	$self->{tests}++;
	# The server may hold the tables of an attempt that came to nothing.
	my $fresh = $setup || $self->{stale} ? $setup // $case->{setup} : undef;
	my $fails = $self->{test}->($fresh, $check // $case->{check});
	$self->{stale} = $setup && !$fails ? 1 : 0 if $fresh;
	return 0 unless $fails;
	@$case{qw(setup check)} = ($setup // $case->{setup}, $check // $case->{check});
	return 1;
}

# Leave out as many items as possible, halves first.  $attempt is called with the
# ones that are kept and says whether that will do.
sub _fewest
{
	my ($items, $attempt) = @_;
	my @kept = @$items;
	my $step = @kept;

	while ($step >= 1)
	{
		for (my $at = 0; $at < @kept;)
		{
			my @rest = @kept;
			splice @rest, $at, $step;
			if ($attempt->(\@rest)) { @kept = @rest; }
			else { $at += $step; }
		}
		$step = $step == 1 ? 0 : int(($step + 1) / 2);
	}
	return \@kept;
}

sub _statements
{
	my ($self) = @_;
	_fewest($self->{case}{setup}, sub { return $self->_try($_[0], undef); });
}

# ---------------------------------------------------------------- the check

sub _check
{
	my ($self) = @_;
	my $check = $self->{case}{check};

	_fewest([ split /; /, $check->{settings} ],
		sub { return $self->_try(undef, { %{ $self->{case}{check} }, settings => join('; ', @{ $_[0] }) }); });
	return $self->_query_text if $check->{alone};
	$self->_try(undef, { %$check, mode => 'plain' }) if $check->{mode} !~ /^(plain|prepared|dml)$/;
	if ($check->{mode} eq 'prepared')
	{
		_fewest($check->{args}, sub { return @{ $_[0] } && $self->_try(undef, { %{ $self->{case}{check} }, args => $_[0] }); });
		$self->_without_parameters;
	}
	$self->_query_text;
}

# Constants for parameters.
sub _without_parameters
{
	my ($self) = @_;
	my $check = $self->{case}{check};
	return if @{ $check->{args} } != 1;
	my @values = @{ _split_list($check->{args}[0] =~ s/^\(|\)$//gr) };
	my $query = $check->{query} =~ s/\$(\d+)/$values[$1 - 1]/gr;
	$self->_try(undef, { settings => $check->{settings}, sorted => $check->{sorted}, mode => 'plain', query => $query });
}

sub _query_text
{
	my ($self) = @_;
	for my $field (qw(p query))
	{
		next unless defined $self->{case}{check}{$field};
		_shorten($self->{case}{check}{$field}, sub {
			my $new = { %{ $self->{case}{check} }, $field => $_[0] };
			return _keeps_meaning($self->{original}, $new) && $self->_try(undef, $new);
		}, 1);
		$self->_literals($field);
	}
}

# Values for expressions that are the same for all rows.
sub _literals
{
	my ($self, $field) = @_;
	my @tokens = _tokens($self->{case}{check}{$field});

	for (my $length = @tokens; $length >= 4; $length--)
	{
		for (my $at = 0; $at + $length <= @tokens; $at++)
		{
			my @piece = @tokens[ $at .. $at + $length - 1 ];
			next unless _balanced(@piece) && $piece[0] !~ /^\s*(,|AND|OR|SELECT|NOT)$/ && "@piece" !~ /SELECT|FROM|\$/;
			my $value = $self->{value}->('SELECT quote_nullable((' . join('', @piece) . ')::text)');
			next if !defined $value || length($value) > length(join('', @piece));
			my @rest = @tokens;
			splice @rest, $at, $length, ' ' . $value;
			my $new = { %{ $self->{case}{check} }, $field => join('', @rest) };
			@tokens = @rest if _keeps_meaning($self->{original}, $new) && $self->_try(undef, $new);
			last if $at + $length > @tokens;
		}
	}
}

# A query must not come to give an answer that two plans may rightly differ in.
sub _keeps_meaning
{
	my ($old, $new) = @_;
	my ($o, $n) = ($old->{query}, $new->{query});
	my $settled = ($old->{sorted} // 'total') ne 'none' && ($old->{alone} // '') ne 'partition' || $o =~ /GROUP BY|DISTINCT|\bOVER\b|_agg\(|LIMIT/;

	return 0 if $settled && ($o =~ /^(.*?) FROM /)[0] ne ($n =~ /^(.*?)(?: FROM |$)/)[0];
	return 0 if ($o =~ /( ORDER BY [^()]*)$/ ? $1 : '') ne ($n =~ /( ORDER BY [^()]*)$/ ? $1 : '') && ($old->{sorted} // '') ne 'none';
	return 0 if ($old->{alone} // '') eq 'partition' && $n !~ /\{p\}/;
	for my $order ($n =~ /ORDER BY [^()]*/g)
	{
		return 0 if index($o, $order) < 0;
	}
	# a LIMIT without its order
	my $loose = sub { my ($q) = @_; return (() = $q =~ /\b(LIMIT|OFFSET|DISTINCT ON|rank)\b/g) - (() = $q =~ /ORDER BY/g); };
	return $loose->($n) <= $loose->($o);
}

# -------------------------------------------------------- pieces of a text

sub _tokens
{
	my ($text) = @_;
	return $text =~ /\G(\s*(?:'(?:[^']|'')*'|"[^"]*"|[\w.]+|\$\d+|::|[-+*<>=~!@#%^&|?\/]+|.))/gs;
}

sub _balanced
{
	my $depth = 0;
	for my $token (@_)
	{
		$depth++ if $token =~ /[(\[]$/;
		$depth-- if $token =~ /[)\]]$/;
		return 0 if $depth < 0;
	}
	return $depth == 0;
}

# Call $attempt with shorter and shorter texts.  $everywhere: begin and end a piece
# at any token, not only where an item of a list or a clause begins or ends.
sub _shorten
{
	my ($text, $attempt, $everywhere) = @_;
	my @tokens = _tokens($text);

	for (my $length = @tokens; $length >= 1; $length--)
	{
		for (my $at = 0; $at + $length <= @tokens; $at++)
		{
			my @piece = @tokens[ $at .. $at + $length - 1 ];
			next unless _balanced(@piece);
			next unless $piece[0] =~ /^\s*(,|AND|OR|WHERE|WITH|INCLUDE|DESC|NULLS|UNLOGGED|NOT|COLLATE|ORDER|LIMIT|OFFSET|GROUP|HAVING)$/ ||
			  $piece[-1] =~ /^\s*(,|AND|OR|NOT)$/ || $everywhere && ($length < 3 || $piece[-1] =~ /[)\]]$/);
			my @rest = @tokens;
			splice @rest, $at, $length;
			if ($attempt->(join('', @rest))) { @tokens = @rest; $at--; next; }
			# a parenthesis, without or with something plain in it
			next unless $everywhere && $piece[0] =~ /\($/ && $piece[-1] =~ /\)$/ && $length > 2 && _balanced(@piece[ 1 .. $#piece - 1 ]);
			for my $instead ([ @piece[ 1 .. $#piece - 1 ] ], $length > 3 ? ([ $piece[0], 'NULL', $piece[-1] ], [ $piece[0], '1', $piece[-1] ]) : ())
			{
				@rest = @tokens;
				splice @rest, $at, $length, @$instead;
				if ($attempt->(join('', @rest))) { @tokens = @rest; last; }
			}
			last if $at + $length > @tokens;
		}
	}
}

sub _statement_texts
{
	my ($self) = @_;
	for my $i (0 .. $#{ $self->{case}{setup} })
	{
		# the columns of an INSERT are counted elsewhere
		next if $self->{case}{setup}[$i] =~ /^INSERT/;
		_shorten($self->{case}{setup}[$i], sub {
			my @setup = @{ $self->{case}{setup} };
			$setup[$i] = $_[0];
			return $self->_try(\@setup, undef);
		}, 0);
	}
}

# ---------------------------------------------------- columns and rows

sub _split_list
{
	my ($text) = @_;
	my ($depth, @items) = (0, '');
	for my $token (_tokens($text))
	{
		$depth++ if $token =~ /[(\[]$/;
		$depth-- if $token =~ /[)\]]$/;
		if ($depth == 0 && $token =~ /^\s*,$/) { push @items, ''; }
		else { $items[-1] .= $token; }
	}
	s/^\s+// for @items;
	return \@items;
}

# INSERT INTO t (columns) SELECT values FROM generate_series(a, b) g: its parts.
sub _parse_insert
{
	my ($sql) = @_;
	return unless $sql =~ /^INSERT INTO (\w+) \(([^()]*)\) SELECT (.*) FROM (generate_series\((\d+), (\d+)\) g.*)$/s;
	return { table => $1, columns => [ split /, /, $2 ], values => _split_list($3), from => $4, low => $5, high => $6 };
}

sub _insert
{
	my ($i) = @_;
	return "INSERT INTO $i->{table} (" . join(', ', @{ $i->{columns} }) . ') SELECT ' . join(', ', @{ $i->{values} }) . " FROM $i->{from}";
}

# Columns, from all tables and whatever fills them.
sub _columns
{
	my ($self) = @_;
	my %names;
	for (@{ $self->{case}{setup} })
	{
		my $insert = _parse_insert($_) or next;
		$names{$_} = 1 for @{ $insert->{columns} };
	}
	for my $name (sort keys %names)
	{
		my @setup = map { _without_column($_, $name) } @{ $self->{case}{setup} };
		$self->_try(\@setup, undef);
	}
}

sub _without_column
{
	my ($sql, $name) = @_;
	if (my $insert = _parse_insert($sql))
	{
		my @keep = grep { $insert->{columns}[$_] ne $name } 0 .. $#{ $insert->{columns} };
		@{ $insert->{$_} } = @{ $insert->{$_} }[@keep] for qw(columns values);
		return @keep ? _insert($insert) : ();
	}
	if ($sql =~ /^(CREATE \w* ?TABLE \w+ \()(.*?)(\)(?: PARTITION BY .*| WITH .*| INHERITS .*)?)$/s)
	{
		my ($head, $list, $tail) = ($1, $2, $3);
		return $head . join(', ', grep { !/^\Q$name\E / } @{ _split_list($list) }) . $tail;
	}
	return $sql;
}

# Rows, from each INSERT.
sub _rows
{
	my ($self) = @_;
	for my $i (0 .. $#{ $self->{case}{setup} })
	{
		my $insert = _parse_insert($self->{case}{setup}[$i]) or next;
		my @rows = $insert->{from} =~ /'(\{.*\})'::int4multirange/ ? _from_multirange($1) : ($insert->{low} .. $insert->{high});
		next if @rows > 20000;
		_fewest(\@rows, sub {
			my ($kept) = @_;
			return 0 unless @$kept;
			my @setup = @{ $self->{case}{setup} };
			my $range = _multirange($kept);
			$setup[$i] = _insert({ %$insert, from => "generate_series($kept->[0], $kept->[-1]) g" .
				  ($range =~ /,\d+\],/ ? " WHERE '$range'::int4multirange \@> g" : '') });
			return $self->_try(\@setup, undef);
		});
	}
}

sub _multirange
{
	my ($numbers) = @_;
	my @ranges;
	for my $n (@$numbers)
	{
		if (@ranges && $ranges[-1][1] + 1 == $n) { $ranges[-1][1] = $n; }
		else { push @ranges, [ $n, $n ]; }
	}
	return '{' . join(',', map { "[$_->[0],$_->[1]]" } @ranges) . '}';
}

sub _from_multirange
{
	my ($text) = @_;
	my @numbers;
	push @numbers, $1 .. $2 while $text =~ /\[(\d+),(\d+)\]/g;
	return @numbers;
}

# Values instead of expressions, if that fails as well.
sub _literal_rows
{
	my ($self) = @_;
	for my $i (0 .. $#{ $self->{case}{setup} })
	{
		my $insert = _parse_insert($self->{case}{setup}[$i]) or next;
		my $rows = $self->{value}->('SELECT string_agg(format(\'(' . join(', ', ('%L') x @{ $insert->{values} }) . ')\', ' .
			  join(', ', map { "($_)::text" } @{ $insert->{values} }) . "), ', ' ORDER BY g) FROM $insert->{from}");
		next if !$rows || length($rows) > 4000;
		my @setup = @{ $self->{case}{setup} };
		$setup[$i] = "INSERT INTO $insert->{table} (" . join(', ', @{ $insert->{columns} }) . ") VALUES $rows";
		$self->_try(\@setup, undef);
	}
	$self->_statements;
}

1;
