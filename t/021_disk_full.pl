# What spills to disk meets its end: temp_file_limit, and a disk that is full.
# The statement fails, or has the right answer; nothing is left either way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('disk');
$node->init(extra => [ '--no-locale', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', zigzag_conf());

# A server of its own that sees a disk of 4 MB: a user namespace allows what root
# may do outside, and a second one inside makes it an ordinary user again, as the
# server wants it.
my $disk = PostgreSQL::Test::Utils::tempdir();
my $has_disk = system("unshare -Urm sh -c 'mount -t tmpfs -o size=4m,mode=700 tmpfs \"$disk\" && exec unshare -U --map-user=1000 --map-group=1000 true' >/dev/null 2>&1") == 0;
if ($has_disk)
{
	my $start = 'pg_ctl -w -D "' . $node->data_dir . '" -l "' . $node->logfile . '" start';
	system_or_bail('unshare', '-Urm', 'sh', '-c', "mount -t tmpfs -o size=4m,mode=700 tmpfs '$disk' && exec unshare -U --map-user=1000 --map-group=1000 $start >/dev/null");
	$node->_update_pid(1);
}
else
{
	$node->start;
}

# Few outer rows have a NULL: for these core compares with all inner rows.
$node->safe_psql('postgres', q{
CREATE TABLE o AS SELECT nullif(g % 17000, 5) AS x, nullif(g, 100) AS y FROM generate_series(1, 20000) g;
CREATE TABLE i AS SELECT g * 3 AS x, g % 1000 AS y FROM generate_series(1, 20000) g;
VACUUM ANALYZE;
});
my %queries = (
	'NOT IN, hash' => 'SELECT count(*), sum(x) FROM o WHERE x NOT IN (SELECT x FROM i)',
	'NOT IN, patterns' => 'SELECT count(*), sum(x) FROM o WHERE (x, y) NOT IN (SELECT x, y FROM i)',
	'mark' => 'SELECT count(*), sum(m::int) FROM (SELECT x IN (SELECT x FROM i) AS m FROM o OFFSET 0) q',
	'mark, rows kept' => 'SELECT count(*), sum(m::int) FROM (SELECT (x, y) IN (SELECT x, y FROM i) AS m FROM o OFFSET 0) q');

my %answers;
for my $name (sort keys %queries)
{
	same_answers($node, $name, $queries{$name});
	$answers{$name} = $node->safe_psql('postgres', "SET zigzag.enable = off; SET work_mem = '256MB'; $queries{$name}");
}

my $s = Faulty::Session->new($node);
$s->ask("SET zigzag.debug_force = on; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;");

# Run a query with each setting in turn, within one transaction.  It fails with
# the first, and has its answer with the last.
sub run_with
{
	my ($name, $error, @settings) = @_;
	my @outcomes;

	$s->ask('BEGIN;');
	for my $setting (@settings)
	{
		my $out = $s->ask("SAVEPOINT s; $setting; $queries{$name};");

		push @outcomes, $out eq $answers{$name} ? 'answer' : $out =~ $error ? 'error' : $out;
		$s->ask('ROLLBACK TO s;');
		is($s->ask('SELECT count(*) FROM pg_ls_tmpdir();'), '0', "$name, $setting: no file is left");
	}
	$s->ask('COMMIT;');
	is(scalar(grep { !/^(answer|error)$/ } @outcomes), 0, "$name: an answer or an error") or diag("@outcomes");
	is($outcomes[0], 'error', "$name: an error with $settings[0]");
	is($outcomes[-1], 'answer', "$name: an answer with $settings[-1]");
}

for my $name (sort keys %queries)
{
	run_with($name, qr/ERROR:  temporary file size exceeds "?temp_file_limit"?/,
		map { "SET LOCAL temp_file_limit = '$_'" } '8kB', '100kB', '200kB', '300kB', '400kB', '10MB');
}

SKIP:
{
	skip 'no disk of our own can be mounted', 1 unless $has_disk;
	$node->safe_psql('postgres', "CREATE TABLESPACE full_disk LOCATION '$disk'");
	$s->ask("SET temp_tablespaces = 'full_disk';");
	for my $name (sort keys %queries)
	{
		my @outcomes;
		for my $kept (4090, 4000, 3900, 3800, 3600, 3400, 3200)
		{
			# A file that takes all but what is left to the query.
			$s->ask("COPY (SELECT repeat('x', $kept * 1000)) TO '$disk/filler';");
			my $out = $s->ask("$queries{$name};");

			push @outcomes, $out eq $answers{$name} ? 'answer' : $out =~ /ERROR:  could not (write|extend|create).*No space left on device/ ? 'error' : $out;
			is($s->ask("SELECT count(*) FROM pg_ls_tmpdir((SELECT oid FROM pg_tablespace WHERE spcname = 'full_disk'));"), '0', "$name, disk filled to $kept kB: no file is left");
		}
		is(scalar(grep { !/^(answer|error)$/ } @outcomes), 0, "$name, full disk: an answer or an error") or diag("@outcomes");
		cmp_ok(scalar(grep { /error/ } @outcomes), '>', 0, "$name, full disk: an error");
		$s->ask("COPY (SELECT 1) TO '$disk/filler';");
		is($s->ask("$queries{$name};"), $answers{$name}, "$name: an answer when there is room again");
	}
}

$s->quit;
nothing_left($node, 'at the end');
clean_log($node);
done_testing();
