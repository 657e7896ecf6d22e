# The system gives a backend no more memory, at many points of a query.  The
# statement fails, or has the right answer, and the session goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prlimit (util-linux) is needed'
  if system('prlimit --version >/dev/null 2>&1') != 0;

my $node = zigzag_node('oom', "work_mem = 512MB\n");
$node->safe_psql('postgres', q{
CREATE TABLE k (id int, a int, b int, t text);
INSERT INTO k SELECT g, g % 3, g % 4, 'row' FROM generate_series(1, 20000) g;
CREATE INDEX k_a ON k (a, id);
CREATE INDEX k_b ON k (b, id);
CREATE TABLE o AS SELECT nullif(g % 17000, 5) AS x, nullif(g, 100) AS y FROM generate_series(1, 20000) g;
CREATE TABLE i AS SELECT g * 3 AS x, g % 1000 AS y FROM generate_series(1, 100000) g;
VACUUM ANALYZE;
});
my %queries = (
	'scan' => 'SELECT count(*), sum(id + length(t)) FROM k WHERE a = 1 AND b = 2',
	'NOT IN, hash' => 'SELECT count(*), sum(x) FROM o WHERE x NOT IN (SELECT x FROM i)',
	'NOT IN, patterns' => 'SELECT count(*), sum(x) FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i)',
	'mark' => 'SELECT count(*), sum(m::int) FROM (SELECT x IN (SELECT x FROM i) AS m FROM o OFFSET 0) q',
	'mark, rows kept' => 'SELECT count(*), sum(m::int) FROM (SELECT (x, y) IN (SELECT x, y FROM i) AS m FROM o OFFSET 0) q');

# The address space of a process, in kB.
sub address_space
{
	my ($pid) = @_;
	my $status = slurp_file("/proc/$pid/status");
	return $status =~ /VmSize:\s+(\d+) kB/ ? $1 : undef;
}

# A library that reserves its address space beforehand is not limited by this.
my $probe = Faulty::Session->new($node);
my $before = address_space($probe->pid);
$probe->quit;
if ($before > 1 << 30)
{
	$node->stop;
	plan skip_all => 'the address space of the server is reserved beforehand';
}

for my $name (sort keys %queries)
{
	my $query = $queries{$name};
	my $answer = $node->safe_psql('postgres', "SET zigzag.enable = off; $query");
	my $s = Faulty::Session->new($node);
	my %outcomes;
	my @strange;

	like($s->ask("SET zigzag.debug_force = on; EXPLAIN $query;"), qr/Custom Scan/, "$name: the plan");
	$s->ask('BEGIN;');
	my $pid = $s->pid;
	# From nothing at all to what is enough.
	for my $more (map { $_ * 64 } 0 .. 15, 20, 30, 40, 60, 80, 100, 120, 160, 200, 300, 400, 600)
	{
		my $limit = (address_space($pid) + $more) * 1024;

		$s->ask('SAVEPOINT s;');
		system_or_bail('prlimit', '--pid', $pid, "--as=$limit:unlimited");
		my $out = $s->ask("$query;");
		system_or_bail('prlimit', '--pid', $pid, '--as=unlimited:unlimited');
		$s->ask('ROLLBACK TO s;');

		my $outcome = $out eq $answer ? 'answer' : $out =~ /ERROR:  out of memory/ ? 'error' : 'strange';
		$outcomes{$outcome}++;
		push @strange, $out if $outcome eq 'strange';
	}
	is("@strange", '', "$name: an answer or an error");
	cmp_ok($outcomes{answer} // 0, '>', 0, "$name: an answer, where there was memory");
	cmp_ok($outcomes{error} // 0, '>', 0, "$name: an error, where there was none") if $name ne 'scan';
	is($s->ask("$query;"), $answer, "$name: the session goes on");
	note("$name: ", join ', ', map { "$outcomes{$_} $_" } sort keys %outcomes);
	$s->ask('COMMIT;');
	$s->quit;
}

nothing_left($node, 'at the end');
clean_log($node);
done_testing();
