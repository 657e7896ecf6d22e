# Random equivalence: rounds of random tables and queries, each query with zigzag
# off and forced, or against itself, maybe while others write.
#
# A round is made by its seed and node alone: the tables, the queries, the way and
# the settings each is run with.  A query that differs, or fails one way only, or
# ends the server, is reduced to a small script (Fuzz/Reduce.pm).
package Fuzz;
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use Time::HiRes qw(time);
use Fuzz::Check qw(call readable);
use Fuzz::Random;
use Fuzz::Reduce;
use Fuzz::Scan;
use Fuzz::Session;
use Fuzz::Sublink;
use Fuzz::Types;
use ServerLog;

our %makers = (
	scan => sub { return Fuzz::Scan->new($_[0]); },
	notin => sub { return Fuzz::Sublink->new($_[0], 'notin'); },
	mark => sub { return Fuzz::Sublink->new($_[0], 'mark'); });
our @nodes = qw(scan notin mark);

# psql		the command of psql with its connection, an array
# queries	per round
# writers	how many others write
# cases		where the scripts of failures go; most: of each round
# say		called with each line of the report
sub new
{
	my ($class, %options) = @_;
	my $self = bless { queries => 200, writers => 0, say => sub { print "$_[0]\n"; }, cases => 'fuzz-cases', most => 3,
		tally => { rounds => 0, queries => 0, differences => 0, errors => 0, cancelled => 0, crashes => 0 },
		used => {}, files => [], notes => [], %options }, $class;
	$self->_prepare;
	return $self;
}

sub _prepare
{
	my ($self) = @_;
	my $session = $self->{session} = Fuzz::Session->new(@{ $self->{psql} });
	my $features = $self->{features} = {};
	(my $check = __FILE__) =~ s/\.pm$/\/check.sql/;

	die "someone else runs this in the database\n" if $session->value('SELECT pg_try_advisory_lock(78105)') ne 't';
	open my $file, '<', $check or die "$check: $!";
	my $sql = do { local $/; <$file>; };
	my (undef, $errors) = $session->run("SET client_min_messages = warning;\n" .
		"DROP SCHEMA IF EXISTS fuzz, fuzz_lib CASCADE;\n" .
		"SELECT 'CREATE ROLE fuzz_reader' WHERE to_regrole('fuzz_reader') IS NULL \\gexec\n$sql");
	die "check.sql: $errors" if $errors =~ /ERROR/;
	$features->{icu} = $session->value("SELECT 1 FROM pg_collation WHERE collprovider = 'i' LIMIT 1") || 0;
	$features->{citext} = $session->value("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'") || 0;
	$session->run("CREATE EXTENSION IF NOT EXISTS citext SCHEMA fuzz_lib;\n") if $features->{citext};
	$features->{amcheck} = $session->value("SELECT 1 FROM pg_available_extensions WHERE name = 'amcheck'") || 0;
	$session->run("CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA fuzz_lib;\n") if $features->{amcheck};
	$features->{force_parallel} = $session->value(
		"SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
	$self->{version} = $session->value('SHOW server_version');
	die "zigzag is not loaded\n" unless $session->value('SHOW zigzag.enable');
}

# What goes before the statements of a round.
sub fresh
{
	return "RESET ROLE; RESET ALL; SET client_min_messages = warning; SET jit = off;\n" .
	  "SET statement_timeout = '60s'; SET lock_timeout = '20s'; SET search_path = fuzz, fuzz_lib;\n" .
	  "DROP SCHEMA IF EXISTS fuzz CASCADE; DISCARD TEMP; CREATE SCHEMA fuzz; GRANT USAGE ON SCHEMA fuzz TO fuzz_reader;\n";
}

# The statements and checks of a round.
sub make_round
{
	my ($self, $seed, $node) = @_;
	srand($seed * 7 + length($node));
	my $maker = $makers{$node}->($self->{features});
	my @setup = (prelude($self->{features}), $maker->statements);
	my @checks = map { $maker->check } 1 .. $self->{queries};
	for my $check (@checks)
	{
		Fuzz::Scan::parallel($check, $self->{features}) if chance(0.02);
	}
	return ($maker, \@setup, \@checks);
}

sub round
{
	my ($self, $seed, $node) = @_;
	my $started = time;
	my ($maker, $setup, $checks) = $self->make_round($seed, $node);
	my $session = $self->{session};
	my $writers = $self->{writers} && !grep({ /^CREATE TEMP/ } @$setup) ? $self->{writers} : 0;
	my %count = (queries => 0);
	my %used;
	my @failures;

	my (undef, $errors) = $session->run(fresh() . join('', map { "$_;\n" } @$setup));
	my @bad = grep { /ERROR|FATAL|PANIC/ } split /\n/, $errors;
	if (@bad)
	{
		$self->_note("seed $seed, $node: setup fails: $bad[0]");
		$count{errors}++;
		$session->connect unless $session->alive;
	}
	# Changes and locks of others would only make it fail.
	@$checks = grep { ($_->{mode} // '') ne 'dml' && $_->{query} !~ /FOR (UPDATE|SHARE|NO KEY|KEY)/ } @$checks
	  if $writers;
	# Rows that are asked for slowly leave them time.
	for my $check ($writers ? @$checks : ())
	{
		$check->{mode} = 'slow' if ($check->{mode} // '') eq 'plain' && chance(0.4);
	}
	my @writers = map { $self->_start_writer($maker, $_ == 1) } 1 .. $writers;
	my ($before, $after) = $writers ? ("BEGIN ISOLATION LEVEL REPEATABLE READ;\n", "COMMIT;\n") : ('', '');
	my ($lines, $stderr) = $session->run(join('', map { "\\echo #$_\n$before" . call($checks->[$_]) . ";\n$after" } 0 .. $#$checks));
	$self->_stop_writers(@writers) if $writers;

	my ($n, %result) = (-1);
	for my $line (@$lines)
	{
		if ($line =~ /^#(\d+)$/) { $n = $1; }
		else { $result{$n} = $line; }
	}
	for my $i (0 .. $n)
	{
		my $result = $result{$i} // ($i == $n && !$session->alive ? 'crash' : 'cancelled');
		$count{queries}++;
		if ($result =~ /^ok ?(.*)/) { $used{$_}++ for keys %{ { map { $_ => 1 } split(' ', $1) } }; }
		elsif ($writers && $result =~ /\b(40001|40P01|55P03)\b/) { $count{skipped}++; }
		elsif ($result =~ /^error/) { $count{errors}++; $self->_note("seed $seed, $node: $result: $checks->[$i]{query}"); }
		elsif ($result eq 'cancelled') { $count{cancelled}++; $self->_note("seed $seed, $node: cancelled: $checks->[$i]{query}"); }
		else
		{
			$count{ $result eq 'crash' ? 'crashes' : 'differences' }++;
			push @failures, [ $i, $result ];
		}
	}
	$session->connect unless $session->alive;
	my $broken = $self->_broken_indexes;
	if ($broken ne '')
	{
		$self->_note("seed $seed, $node: $broken");
		$count{differences}++;
	}
	$self->_tell(\%count, \%used, $seed, $node, time - $started);
	splice @failures, $self->{most};
	$self->_reduce($setup, $checks->[ $_->[0] ], $_->[1], $seed, $node, $writers) for @failures;
	return @failures + ($broken ne '');
}

# What is wrong with an index of the round, if anything is: scans mark entries as
# dead, and none may be of a living row.
sub _broken_indexes
{
	my ($self) = @_;
	return '' unless $self->{features}{amcheck};
	my (undef, $errors) = $self->{session}->run(
		"RESET ROLE; SELECT fuzz_lib.bt_index_check(indexrelid, true) FROM pg_index\n" .
		"JOIN pg_class c ON c.oid = indexrelid JOIN pg_am am ON am.oid = relam AND amname = 'btree'\n" .
		"WHERE relkind = 'i' AND indisvalid AND (relnamespace = to_regnamespace('fuzz') OR relnamespace = pg_my_temp_schema());\n");
	return join(' ', grep { /ERROR|FATAL|PANIC/ } split /\n/, $errors);
}

sub _tell
{
	my ($self, $count, $used, $seed, $node, $seconds) = @_;
	my $tally = $self->{tally};

	$tally->{rounds}++;
	$tally->{$_} += $count->{$_} for keys %$count;
	$self->{used}{$_} += $used->{$_} for keys %$used;
	$self->{per_node}{$node} += $count->{queries};
	$self->{say}->(sprintf 'seed %d %s: %d queries, %s, %s %.1f s', $seed, $node, $count->{queries},
		join(', ', map { "$used->{$_} $_" } sort keys %$used) || 'none of the nodes',
		join('', map { $count->{$_} ? "$count->{$_} $_, " : '' } qw(differences crashes errors cancelled skipped)), $seconds);
}

sub _note
{
	my ($self, $note) = @_;
	push @{ $self->{notes} }, $note;
	# the same again and again is told once
	$self->{say}->("  $note") unless $self->{told}{ substr($note, 0, 70) }++;
}

# Someone else who writes, or looks after the tables.
sub _start_writer
{
	my ($self, $maker, $maintains) = @_;
	local $ENV{PGAPPNAME} = 'fuzz_writer';
	my $writer = Fuzz::Session->new(@{ $self->{psql} });
	my @statements = map { $maintains ? $maker->maintenance : $maker->disturbance } 1 .. 2000;
	$writer->start("SET search_path = fuzz, fuzz_lib; SET statement_timeout = '5s';\n" .
		join('', map { "$_;\nSELECT pg_sleep(" . ($maintains ? 0.05 : 0.002) . ")\\g /dev/null\n" } @statements));
	return $writer;
}

sub _stop_writers
{
	my ($self, @writers) = @_;
	my $session = $self->{session};
	$session->connect unless $session->alive;
	# One that does not end is worth the WARNING that this gives; parallel workers
	# of a writer have its name, and may be gone before they are told.
	$session->run("SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity\n" .
		"WHERE application_name = 'fuzz_writer' AND backend_type = 'client backend';\n");
	for my $writer (@writers)
	{
		$writer->close;
		my @bad = grep { /ERROR|PANIC/ && !/deadlock|timeout|terminating|serialize|not-null|f_again/ } split /\n/, $writer->errors;
		next unless @bad;
		$self->{tally}{errors}++;
		$self->_note("a writer fails: $bad[0]");
	}
}

# How a case ends: what all of its reductions must come to.
sub outcome
{
	my ($result) = @_;
	return "error $1 $2" if $result =~ /^difference in error \((\w+).*?, (\w+)/;
	return $1 if $result =~ /^(difference in \w+)/;
	return $result =~ /^crash/ ? 'crash' : 'other';
}

# Run a case on its own.
sub probe
{
	my ($self, $setup, $check) = @_;
	my $session = $self->{session};
	my ($lines, $errors);

	if ($setup)
	{
		(undef, $errors) = $session->run(fresh() . join('', map { "$_;\n" } @$setup));
		return 'setup' if $errors =~ /ERROR/;
	}
	($lines, $errors) = $session->run("SET statement_timeout = '20s';\n" . call($check) . ";\n") if $session->alive;
	if (!$session->alive)
	{
		$session->connect;
		return 'crash';
	}
	return $lines->[0] // 'other';
}

sub _reduce
{
	my ($self, $setup, $check, $result, $seed, $node, $writers) = @_;
	my $outcome = outcome($result);
	my $again = outcome($self->probe($setup, $check)) eq $outcome;
	my $reduced = { setup => [@$setup], check => {%$check} };
	my $how = 'as it was: it does not come again by itself';

	if ($again)
	{
		my $reducer = Fuzz::Reduce->new(
			test => sub { return outcome($self->probe(@_)) eq $outcome; },
			value => sub { return $self->{session}->value($_[0]); },
			limit => $outcome eq 'crash' ? 150 : 6000);
		$reduced = $reducer->reduce($reduced);
		$how = "reduced in $reducer->{tests} steps";
	}
	make_path($self->{cases});
	my $number = @{ $self->{files} } + 1;
	my $path = "$self->{cases}/$node-$seed-$number.sql";
	my $extension = "@{ $reduced->{setup} }" =~ /citext/ ? "CREATE EXTENSION IF NOT EXISTS citext;\n" : '';
	open my $file, '>:utf8', $path or die "$path: $!";
	print $file "-- $result\n-- PostgreSQL $self->{version}, seed $seed, node $node, $self->{queries} queries" .
	  ($writers ? ", $writers writers" : '') . "; $how\n" .
	  "LOAD 'zigzag';\n${extension}CREATE SCHEMA fuzz;\nSET search_path = fuzz, public;\n",
	  map({ "$_;\n" } @{ $reduced->{setup} }), "\n", map({ "$_;\n" } readable($reduced->{check})),
	  "\n-- the check, with t/lib/Fuzz/check.sql\n-- ", call($reduced->{check}) =~ s/\n/ /gr, ";\n";
	close $file;
	push @{ $self->{files} }, $path;
	$self->{say}->("  $result");
	$self->{say}->("  $path, $how: " . scalar(@{ $reduced->{setup} }) . ' statements and ' . ($reduced->{check}{alone} ? join('; ', Fuzz::Check::queries($reduced->{check})) : $reduced->{check}{query}));
}

# What the log of a server says that no query and no writer may make it say.  An
# index whose making is cut short, by a timeout of its writer, stays invalid, and
# the next REINDEX passes it over.
sub alarms
{
	my ($text) = @_;
	return ServerLog::alarms($text, qr/(?:cannot reindex|skipping reindex of) invalid index "(?:fuzz|pg_toast)\./);
}

# The last line of a report.
sub summary
{
	my ($self) = @_;
	my ($tally, $used) = @$self{qw(tally used)};
	return sprintf 'fuzz: %s, %d rounds, %d queries (%s), %s, %d differences, %d crashes, %d errors, %d cancelled',
	  $self->{range} // '', $tally->{rounds}, $tally->{queries},
	  join(', ', map { "$self->{per_node}{$_} $_" } sort keys %{ $self->{per_node} // {} }),
	  join(', ', map { "$used->{$_} with $_" } sort keys %$used) || 'none with a node of zigzag',
	  @$tally{qw(differences crashes errors cancelled)};
}

sub failed
{
	my ($self) = @_;
	return $self->{tally}{differences} + $self->{tally}{crashes} + $self->{tally}{errors};
}

1;
