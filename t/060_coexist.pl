# Other libraries beside zigzag, loaded before it and after it: hints are obeyed,
# statements keep their identity, plans are logged in every format, hypothetical
# indexes do no harm.  What is not installed is skipped.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty qw(clean_log);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# What is preloaded is decided here alone.
delete $ENV{TEMP_CONFIG};

my ($pkglibdir) = run_command([ 'pg_config', '--pkglibdir' ]);
my %has = map { $_ => -e "$pkglibdir/$_.so" }
  qw(pg_stat_statements auto_explain hypopg pg_hint_plan pg_qualstats timescaledb);
my @others = grep { $has{$_} } sort keys %has;
plan skip_all => 'no other library is installed' unless @others;

my $node = PostgreSQL::Test::Cluster->new('coexist');
$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
autovacuum = off
fsync = off
max_parallel_workers_per_gather = 0
jit = off
EOC
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE TABLE t (id int PRIMARY KEY, a int, b int, pad text);
INSERT INTO t SELECT g, g % 100, g % 101, repeat('x', 50) FROM generate_series(1, 30000) g;
CREATE INDEX t_a ON t (a);
CREATE INDEX t_b ON t (b);
CREATE TABLE s (y int);
INSERT INTO s SELECT g FROM generate_series(1, 20000) g;
CREATE TABLE p (id int, a int, b int) PARTITION BY LIST (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
INSERT INTO p SELECT g % 2 + 1, g % 100, g % 101 FROM generate_series(1, 30000) g;
CREATE INDEX ON p (a);
CREATE INDEX ON p (b);
VACUUM ANALYZE t, s, p;
EOS

my $scan = 'SELECT pad FROM t WHERE a = 42 AND b = 7';
my $notin = 'SELECT id FROM t WHERE id NOT IN (SELECT y FROM s)';
my $mark = 'SELECT id, id IN (SELECT y FROM s) FROM t';

# Statements in one session, with errors and messages.
sub run
{
	my ($out, $err);
	$node->psql('postgres', join(";\n", @_) . ';', stdout => \$out, stderr => \$err,
		on_error_stop => 0, extra_params => [ '-q', '-A', '-t' ]);
	return $err eq '' ? $out : "$out\n$err";
}

# The plan of a query, with a hint and settings.
sub plan_of
{
	my ($query, $hint, @settings) = @_;
	return run(@settings, "$hint EXPLAIN (COSTS OFF) $query");
}

sub test_hints
{
	my $order = shift;
	like(plan_of($scan, ''), qr/ZigzagScan/, "$order: no hint");
	foreach my $case (
		[ 'SeqScan(t)', 'Seq Scan on t' ],
		[ 'IndexScan(t)', 'Index Scan using' ],
		[ 'IndexScan(t t_a)', 'Index Scan using t_a on t' ],
		[ 'IndexScan(t t_b)', 'Index Scan using t_b on t' ],
		[ 'BitmapScan(t)', 'Bitmap Heap Scan on t' ],
		[ 'BitmapScan(t t_b)', 'Bitmap Index Scan on t_b' ],
		[ 'NoIndexScan(t)', '(Seq|Bitmap Heap) Scan on t' ],
		[ 'Set(enable_indexscan off)', '(Seq|Bitmap Heap) Scan on t' ],
		[ 'Set(zigzag.enable off)', 'Scan on t' ],
		[ 'Set(zigzag.enable_scan off)', 'Scan on t' ])
	{
		my ($hint, $wanted) = @$case;
		foreach my $force ('off', 'on')
		{
			my $plan = plan_of($scan, "/*+ $hint */", "SET zigzag.debug_force = $force");
			like($plan, qr/$wanted/, "$order: $hint, debug_force $force");
			unlike($plan, qr/Zigzag|ERROR/, "$order: $hint is not overridden, debug_force $force");
		}
	}
	my $plan = plan_of('SELECT * FROM p WHERE a = 42 AND b = 7', '/*+ SeqScan(p) */');
	unlike($plan, qr/Zigzag/, "$order: a hint for all partitions");
	$plan = plan_of('SELECT * FROM p WHERE a = 42 AND b = 7', '/*+ SeqScan(p1) */');
	like($plan, qr/Seq Scan on p1/, "$order: a hint for one partition");
	unlike($plan, qr/ZigzagScan\) on p1/, "$order: for that one");
	like(plan_of("$scan AND id > 0", '/*+ Rows(t s #1) SeqScan(s) */'), qr/ZigzagScan/, "$order: a hint for another table");

	# NOT IN and marks are planned twice, and each time under the hint.
	my $force = 'SET zigzag.debug_force = on';
	like(plan_of($notin, '', $force), qr/NullAwareAntiJoin/, "$order: NOT IN, no hint");
	like(plan_of("$notin AND id > 0", '/*+ IndexScan(t t_pkey) */', $force), qr/NullAwareAntiJoin.*Index Scan using t_pkey/s,
		"$order: NOT IN with a hint for its table");
	like(plan_of("$mark WHERE id > 0", '/*+ IndexScan(t t_pkey) */', $force), qr/MarkJoin.*Index Scan using t_pkey/s,
		"$order: a mark join with a hint for its table");
	foreach my $hint ('Set(zigzag.enable off)', 'Set(zigzag.enable_notin off)')
	{
		unlike(plan_of($notin, "/*+ $hint */", $force), qr/NullAware|Anti Join/, "$order: NOT IN, $hint");
	}
	foreach my $hint ('Set(zigzag.enable off)', 'Set(zigzag.enable_mark off)')
	{
		unlike(plan_of($mark, "/*+ $hint */", $force), qr/MarkJoin|Left Join/, "$order: a mark join, $hint");
	}
	is(run("/*+ SeqScan(t) */ SELECT count(*) FROM ($notin) q"), 10000, "$order: NOT IN with a hint, the answer");
}

sub test_statements
{
	my $order = shift;
	foreach my $query ($scan, $notin, $mark)
	{
		my %seen;
		foreach my $setting ('zigzag.enable = off', 'zigzag.enable = on', 'zigzag.debug_force = on')
		{
			run('SELECT pg_stat_statements_reset()', "SET $setting", $query);
			my $row = run("SELECT queryid, calls, rows, query FROM pg_stat_statements WHERE query LIKE 'SELECT%FROM t%'");
			$seen{$row} = 1;
		}
		is(scalar(keys %seen), 1, "$order: the same statement for pg_stat_statements") or diag(explain(\%seen));
		my ($row) = keys %seen;
		like($row, qr/^-?\d+\|1\|\d+\|SELECT/, "$order: once, with its rows");
		like($row, qr/a = \$1 AND b = \$2/, "$order: normalized") if $query eq $scan;

		my %identifier;
		foreach my $setting ('zigzag.enable = off', 'zigzag.debug_force = on')
		{
			my ($id) = run("SET $setting", "EXPLAIN (VERBOSE) $query") =~ /Query Identifier: (-?\d+)/;
			$identifier{ $id // 'none' } = 1;
		}
		is(scalar(keys %identifier), 1, "$order: and for EXPLAIN");
		ok(!$identifier{none}, "$order: which has a query identifier");
	}
}

sub test_auto_explain
{
	my $order = shift;
	my %mark = (
		text => 'Custom Scan \(%s\)',
		json => '"Custom Plan Provider": "%s"',
		xml => '<Custom-Plan-Provider>%s</Custom-Plan-Provider>',
		yaml => 'Custom Plan Provider: "%s"');
	foreach my $format (sort keys %mark)
	{
		my $offset = -s $node->logfile;
		run('SET auto_explain.log_min_duration = 0', 'SET auto_explain.log_analyze = on',
			'SET auto_explain.log_verbose = on', 'SET auto_explain.log_buffers = on',
			'SET auto_explain.log_nested_statements = on', 'SET auto_explain.log_settings = on',
			"SET auto_explain.log_format = $format", 'SET zigzag.debug_force = on',
			$scan, $notin, $mark, "DO \$\$ BEGIN PERFORM pad FROM t WHERE a = 42 AND b = 7; END \$\$");
		my $log = slurp_file($node->logfile, $offset);
		foreach my $name (qw(ZigzagScan NullAwareAntiJoin MarkJoin))
		{
			my $wanted = sprintf $mark{$format}, $name;
			my $times = () = $log =~ /$wanted/g;
			is($times, $name eq 'ZigzagScan' ? 2 : 1, "$order: auto_explain, $format: $name");
		}
		like($log, qr/zigzag\.debug_force/, "$order: auto_explain, $format: settings");
	}
}

sub test_hypothetical
{
	my $order = shift;
	my $start = 'SELECT ' . join(', ', map { "hypopg_create_index('CREATE INDEX ON $_')" } 't (a, b)', 's (y)', 't (pad)');
	like(run($start, 'SET enable_bitmapscan = off', "EXPLAIN $scan"), qr/Index Scan using .*<\d+>btree_t_a_b/,
		"$order: EXPLAIN shows what an index that does not exist would do");
	foreach my $query ($scan, "$scan AND pad = 'x'", $notin, $mark)
	{
		my $count = "SELECT count(*), min(q::text) FROM ($query) q";
		my ($plain) = run('SET zigzag.enable = off', $count);
		foreach my $setting ('zigzag.enable = on', 'zigzag.debug_force = on')
		{
			my $out = run($start, "SET $setting", "EXPLAIN $query", "EXPLAIN (ANALYZE) $query", $count);
			unlike($out, qr/ERROR|Side: .*</, "$order: no hypothetical side, $setting");
			like($out, qr/\n\Q$plain\E$/, "$order: and the answer is right, $setting");
		}
	}
}

sub test_qualstats
{
	my $order = shift;
	my $out = run('SET pg_qualstats.sample_rate = 1', 'SET zigzag.debug_force = on',
		"SELECT count(*) FROM ($scan) q", "SELECT count(*) FROM ($notin) q", "SELECT count(*) FROM ($mark) q",
		'SELECT count(*) FROM t WHERE a = 42 AND b = 7 AND a + b > 3 AND a <> 7', 'SELECT count(*) >= 0 FROM pg_qualstats()');
	is($out, join("\n", 3, 10000, 30000, 3, 't'), "$order: pg_qualstats looks on");
}

sub test_hypertable
{
	my $order = shift;
	$node->safe_psql('postgres', <<'EOS');
SET client_min_messages = warning;
DROP TABLE IF EXISTS h;
CREATE TABLE h (made timestamptz NOT NULL, a int, b int, id int);
SELECT create_hypertable('h', 'made', chunk_time_interval => interval '7 days');
INSERT INTO h SELECT '2024-01-01'::timestamptz + g * interval '1 minute', g % 97, g % 101, g FROM generate_series(1, 60000) g;
CREATE INDEX ON h (a, made);
CREATE INDEX ON h (b, made);
ANALYZE h;
EOS
	my %query = (
		'all chunks' => 'SELECT count(*), sum(id) FROM h WHERE a = 5 AND b = 6',
		'some chunks' => "SELECT count(*), sum(id) FROM h WHERE a = 5 AND b = 6 AND made > '2024-02-01'",
		'in order' => 'SELECT id FROM h WHERE a = 5 AND b = 6 ORDER BY made DESC LIMIT 3',
		'NOT IN' => 'SELECT count(*) FROM h WHERE id NOT IN (SELECT y FROM s)',
		'mark' => 'SELECT count(*) FILTER (WHERE id IN (SELECT y FROM s)) FROM h');
	foreach my $name (sort keys %query)
	{
		my $plain = run('SET zigzag.enable = off', $query{$name});
		is(run('SET zigzag.debug_force = on', $query{$name}), $plain, "$order: a hypertable, $name");
	}
	like(plan_of($query{'some chunks'}, ''), qr/ZigzagScan\) on _hyper_/, "$order: its chunks are zigzagged");
}

foreach my $libraries (join(',', 'zigzag', @others), join(',', @others, 'zigzag'))
{
	my $order = $libraries =~ /^zigzag/ ? 'first' : 'last';
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'\ncompute_query_id = on" . ($has{timescaledb} ? "\ntimescaledb.telemetry_level = off" : ''));
	$node->restart;
	foreach my $extension (grep { !/auto_explain/ && $has{$_} } sort keys %has)
	{
		$node->safe_psql('postgres', "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS $extension");
	}
	SKIP: { skip 'pg_hint_plan is not installed', 1 unless $has{pg_hint_plan}; test_hints($order); }
	SKIP: { skip 'pg_stat_statements is not installed', 1 unless $has{pg_stat_statements}; test_statements($order); }
	SKIP: { skip 'auto_explain is not installed', 1 unless $has{auto_explain}; test_auto_explain($order); }
	SKIP: { skip 'hypopg is not installed', 1 unless $has{hypopg}; test_hypothetical($order); }
	SKIP: { skip 'pg_qualstats is not installed', 1 unless $has{pg_qualstats}; test_qualstats($order); }
	SKIP: { skip 'timescaledb is not installed', 1 unless $has{timescaledb}; test_hypertable($order); }
}

clean_log($node);
done_testing();
