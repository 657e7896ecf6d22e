# Random equivalence: random tables, indexes, data and queries, each with zigzag
# off and with zigzag forced; and the same while others write.
#
# ZZ_FUZZ_SEED, ZZ_FUZZ_TABLES and ZZ_FUZZ_QUERIES choose the rounds.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $seed = $ENV{ZZ_FUZZ_SEED} // 1 + int(rand(1_000_000));
my $tables = $ENV{ZZ_FUZZ_TABLES} // 40;
my $queries = $ENV{ZZ_FUZZ_QUERIES} // 50;
diag("seed $seed: ZZ_FUZZ_SEED=$seed ZZ_FUZZ_TABLES=$tables ZZ_FUZZ_QUERIES=$queries repeats this");
srand($seed);

my $node = PostgreSQL::Test::Cluster->new('random');
$node->init;
$node->append_conf('postgresql.conf', "session_preload_libraries = 'zigzag'
autovacuum = off
max_parallel_workers_per_gather = 0
shared_buffers = 32MB
restart_after_crash = off");
$node->start;

# 1. Nobody else writes.
my ($script, $out, $err) = ('', '', '');
IPC::Run::run([ $^X, 'scripts/fuzz', '--seed', $seed, '--tables', $tables,
		'--queries', $queries ], '>', \$script)
  or die "scripts/fuzz failed";
my $ret = $node->psql('postgres', $script, stdout => \$out, stderr => \$err,
	on_error_stop => 0, timeout => 900);
is($ret, 0, 'the session lasts to the end');
my @differences = grep { /^difference/ } split /\n/, $out;
is(scalar(@differences), 0, "no query differs (seed $seed)")
  or diag(join "\n", @differences[0 .. ($#differences < 9 ? $#differences : 9)]);
my @errors = grep { /ERROR|FATAL|PANIC|WARNING/ } split /\n/, $err;
is(scalar(@errors), 0, "no query fails (seed $seed)")
  or diag(join "\n", @errors[0 .. ($#errors < 9 ? $#errors : 9)]);
ok($out =~ /^fuzz: seed $seed, (\d+) queries, (\d+) with ZigzagScan, 0 differences/m,
	'the summary is there')
  or diag($err);
my ($run, $zigzags) = ($1 // 0, $2 // 0);
is($run, $tables * $queries, 'all queries have run');
cmp_ok($zigzags, '>=', 0.3 * $run, "enough of them with ZigzagScan ($zigzags of $run)");

# Tables of seeds that once differed.
for my $known ([ 61533, 26 ])	# a seek into a long posting list that has a suffix
{
	my ($s, $only) = @$known;
	IPC::Run::run([ $^X, 'scripts/fuzz', '--seed', $s, '--tables', $only,
			'--only', $only ], '>', \$script)
	  or die "scripts/fuzz failed";
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0);
	like($out, qr/^fuzz: seed $s, 50 queries, \d+ with ZigzagScan, 0 differences/m, "table $only of seed $s");
}

# 2. Others write.  In one snapshot both ways must give the same answer, however
# often it is asked.
$node->safe_psql('postgres', q{
CREATE TABLE w (id int, a int, b int, c text, n int) WITH (fillfactor = 70);
INSERT INTO w SELECT g, g % 7, g / 5 % 11, 'v' || g % 3, 0 FROM generate_series(1, 4000) g;
CREATE INDEX ON w (a) WITH (fillfactor = 20);
CREATE INDEX ON w (b);
CREATE INDEX ON w (a, id) WITH (fillfactor = 20);
CREATE INDEX ON w (b, id) WITH (deduplicate_items = off);
CREATE INDEX ON w (c, id DESC);
VACUUM ANALYZE w;
-- One answer, zigzag off or forced.  Rows are fetched by a cursor, with pauses,
-- so that others come in between.
CREATE FUNCTION w_answer(query text, forced bool, pause float8) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE c refcursor; r record; n int := 0; line text; hash int8 := 0; zigzag bool := false;
BEGIN
  PERFORM set_config('zigzag.enable', forced::text, true), set_config('zigzag.debug_force', forced::text, true);
  FOR line IN EXECUTE 'EXPLAIN ' || query LOOP zigzag := zigzag OR line LIKE '%ZigzagScan%'; END LOOP;
  IF zigzag <> forced THEN RAISE 'wrong plan for: %', query; END IF;
  OPEN c NO SCROLL FOR EXECUTE query;
  LOOP
    FETCH c INTO r;
    EXIT WHEN NOT FOUND;
    n := n + 1;
    IF query ~ 'ORDER' THEN hash := hashtextextended(r::text, hash);
    ELSE hash := hash # hashtextextended(r::text, 0); END IF;
    IF n % 10 = 1 THEN PERFORM pg_sleep(pause); END IF;
  END LOOP;
  CLOSE c;
  RETURN n || '/' || hash;
END $$;
});

my $stop = $node->basedir . '/stop';
my @writers;
for my $w (1 .. 2)
{
	my $sql = "SET statement_timeout = '5s';\n";
	for my $i (1 .. 4000)
	{
		my $k = 1 + int(rand(4000));
		my $kind = int(rand(14));
		$sql .= $kind < 4 ? "UPDATE w SET n = n + 1 WHERE id BETWEEN $k AND $k + 3;\n"
		  : $kind < 6 ? "UPDATE w SET b = (b + 1) % 11 WHERE id BETWEEN $k AND $k + 3;\n"
		  : $kind < 7 ? "UPDATE w SET a = (a + 3) % 7, id = 4001 - id WHERE id = $k;\n"
		  : $kind < 10 ? "DELETE FROM w WHERE id BETWEEN $k AND $k + 20;\n"
		  : $kind < 13 ? "INSERT INTO w SELECT g, g % 7, g / 5 % 11, 'v' || g % 3, 0 FROM generate_series($k, $k + 20) g;\n"
		  : "BEGIN; INSERT INTO w SELECT $k, g % 7, g % 11, 'v1', 1 FROM generate_series(1, 150) g; ROLLBACK;\n";
		$sql .= "VACUUM (INDEX_CLEANUP ON) w;\n" if $w == 1 && $i % 15 == 0;
		# A script cannot be stopped from outside but by its own end.
		$sql .= "\\if `test -e '$stop' && echo 1 || echo 0`\n\\q\n\\endif\n" if $i % 10 == 0;
	}
	my ($file, $log) = ($node->basedir . "/writer$w.sql", $node->basedir . "/writer$w.log");
	append_to_file($file, $sql);
	push @writers, { log => $log, h => IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-f', $file ],
			'>', $log, '2>&1') };
}

my $seconds = $ENV{ZZ_FUZZ_SECONDS} // 8;
my $until = time + $seconds;
my ($asked, $wrong, $moved, $last) = (0, 0, 0, '');
while (time < $until)
{
	my ($a, $b, $v) = (int(rand(7)), int(rand(11)), 'v' . int(rand(3)));
	my @asked = (
		"SELECT a, b FROM w WHERE a = $a AND b = $b",
		"SELECT id, a FROM w WHERE a = $a AND b = $b ORDER BY id",
		"SELECT * FROM w WHERE a = $a AND b = $b ORDER BY id DESC",
		"SELECT id, n FROM w WHERE a = $a AND b = $b",
		"SELECT id, c FROM w WHERE a = $a AND b = $b AND c = '$v'");
	$asked[1] =~ s/id, a/id/;
	$asked[2] =~ s/\*/id/ if rand() < 0.5;
	# Rows with equal keys come in any order: compare what is ordered.
	$asked[2] =~ s/\*/id, n > -1/;
	my $sql = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n";
	for my $q (@asked)
	{
		(my $quoted = $q) =~ s/'/''/g;
		$sql .= "SELECT w_answer('$quoted', true, 0.003), w_answer('$quoted', false, 0), w_answer('$quoted', true, 0);\n";
	}
	my ($o, $e);
	$node->psql('postgres', "$sql COMMIT;", stdout => \$o, stderr => \$e);
	my @answers = grep { /\|/ } split /\n/, $o;
	if (@answers != @asked || $e ne '')
	{
		diag("failed: $e");
		$wrong++;
		last;
	}
	for my $i (0 .. $#asked)
	{
		my @three = split /\|/, $answers[$i];
		$asked++;
		next if $three[0] eq $three[1] && $three[1] eq $three[2];
		$wrong++;
		diag("$asked[$i]: $answers[$i]");
	}
}
append_to_file($stop, '');
IPC::Run::finish($_->{h}) for @writers;
my $alive = $node->safe_psql('postgres', 'SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE relname = \'w\'');
is($wrong, 0, "all answers in a snapshot agree while others write (seed $seed, $asked queries)");
cmp_ok($asked, '>=', 10, "enough were asked ($asked)");
cmp_ok($alive, '>=', 4500, "others have written ($alive rows)");
for my $w (@writers)
{
	my @bad = grep { /(ERROR|FATAL|PANIC)/ && !/statement timeout|deadlock/ } split /\n/, slurp_file($w->{log});
	is("@bad", '', 'no writer fails');
}

$node->stop;
my @log = grep { /WARNING|TRAP|PANIC|leak|terminated by signal/ } split /\n/, slurp_file($node->logfile);
is(scalar(@log), 0, 'nothing bad in the log') or diag(join "\n", @log);

done_testing();
