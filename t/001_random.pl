# Random equivalence, a short run of what scripts/fuzz does for hours: every kind
# of node; while others write; and whether a wrong answer would be found at all.
#
# ZIGZAG_FUZZ_SEED repeats a run, ZIGZAG_FUZZ_ROUNDS makes it longer.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Fuzz;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{ZIGZAG_FUZZ_SEED} // 1 + int(rand(1_000_000));
my $rounds = $ENV{ZIGZAG_FUZZ_ROUNDS} // 6;
my $queries = 100;
diag("seed $seed: ZIGZAG_FUZZ_SEED=$seed ZIGZAG_FUZZ_ROUNDS=$rounds repeats this");

my $node = PostgreSQL::Test::Cluster->new('random');
$node->init;
$node->append_conf('postgresql.conf', slurp_file("$FindBin::RealBin/../scripts/fuzz.conf")
	  =~ s/^listen_addresses.*\n//mr);
$node->start;
my $cases = PostgreSQL::Test::Utils::tempdir();

sub run_fuzz
{
	my ($name, $count, %options) = @_;
	my $fuzz = Fuzz->new(psql => [ 'psql', '-d', $node->connstr('postgres') ], queries => $queries,
		cases => $cases, say => sub { note($_[0]); }, %options);
	$fuzz->round($seed + $_, $name) for 0 .. $count - 1;
	$fuzz->{session}->close;
	return $fuzz;
}

sub is_clean
{
	my ($fuzz, $what) = @_;
	is($fuzz->failed, 0, "$what: no difference, no error (seed $seed)")
	  or diag($fuzz->summary, "\n", map { "$_\n" } @{ $fuzz->{notes} }[ 0 .. 4 ], map { slurp_file($_) } @{ $fuzz->{files} });
}

# 1. Nobody else writes.
my %expected = (scan => [ 'ZigzagScan', 0.1 ], notin => [ 'NullAwareAntiJoin', 0.4 ], mark => [ 'MarkJoin', 0.3 ]);
for my $kind (@Fuzz::nodes)
{
	my $fuzz = run_fuzz($kind, $rounds);
	my ($name, $share) = @{ $expected{$kind} };
	is_clean($fuzz, $kind);
	is($fuzz->{tally}{queries}, $rounds * $queries, "$kind: all queries have run");
	cmp_ok($fuzz->{used}{$name} // 0, '>=', $share * $rounds * $queries, "$kind: enough with $name");
}

# 2. Others write.  In one snapshot both ways must give the same answer.
my $before = $node->safe_psql('postgres', 'SELECT xact_commit FROM pg_stat_database WHERE datname = \'postgres\'');
my $fuzz = run_fuzz('scan', 3, writers => 2);
is_clean($fuzz, 'while others write');
my $after = $node->safe_psql('postgres', 'SELECT xact_commit FROM pg_stat_database WHERE datname = \'postgres\'');
cmp_ok($after - $before, '>', $fuzz->{tally}{queries} + 200, 'others have written');

# 3. An answer that is wrong for one row is found, and made small.
{
	package Faulty;
	our @ISA = ('Fuzz::Scan');

	sub check
	{
		my ($self) = @_;
		my $check = $self->SUPER::check;
		$check->{query} =~ s/ WHERE / WHERE (id IS DISTINCT FROM 2 OR current_setting('zigzag.enable') = 'off') AND /;
		return $check;
	}
}
$Fuzz::makers{faulty} = sub { return Faulty->new($_[0]); };
$fuzz = undef;
for my $try (1 .. 20)
{
	$fuzz = Fuzz->new(psql => [ 'psql', '-d', $node->connstr('postgres') ], queries => $queries,
		cases => $cases, say => sub { note($_[0]); }) if !$fuzz;
	last if $fuzz->round($seed + $try, 'faulty');
}
$fuzz->{session}->close;
cmp_ok($fuzz->{tally}{differences}, '>', 0, 'a row that is missing is found');
my @texts = map { slurp_file($_) } @{ $fuzz->{files} };
my ($smallest) = sort { length($a) <=> length($b) } @texts;
my ($setup) = $smallest =~ /^SET search_path.*?\n(.*?)\n\n/ms;
cmp_ok(scalar(() = $setup =~ /;$/mg), '<=', 4, 'the script has few statements') or diag($smallest);
my ($out, $err);
$node->psql('postgres', "DROP SCHEMA fuzz CASCADE;\n$smallest", stdout => \$out, stderr => \$err, on_error_stop => 0);
unlike($err, qr/ERROR/, 'psql runs the script');

$node->stop;
is(join("\n", Fuzz::alarms(slurp_file($node->logfile))), '', 'nothing bad in the log');

done_testing();
