# Outgrowing one machine: a table partitioned over three servers, each with zigzag.
# What the coordinator hands down is zigzagged on the shards, their sorted answers
# are merged and a LIMIT stops them; a replica of a shard answers the same way.
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
foreach my $library (qw(postgres_fdw auto_explain))
{
	plan skip_all => "$library is not installed" unless -e "$pkglibdir/$library.so";
}

my $conf = <<'EOC';
shared_preload_libraries = 'zigzag, auto_explain'
autovacuum = off
max_parallel_workers_per_gather = 0
jit = off
work_mem = '64kB'
EOC

# The shards, with the same table and indexes; the last has a replica.
my $table = q{
CREATE TABLE posts (id int, site int, author int, topic int, made timestamp, body text);
CREATE INDEX posts_author ON posts (author, made);
CREATE INDEX posts_topic ON posts (topic, made);
CREATE TABLE banned (author int);
};
my @shards;
foreach my $n (0 .. 2)
{
	my $shard = PostgreSQL::Test::Cluster->new("shard$n");
	$shard->init(allows_streaming => $n == 2);
	$shard->append_conf('postgresql.conf', $conf);
	$shard->start;
	$shard->safe_psql('postgres', "$table
INSERT INTO posts
  SELECT g, $n, g::bigint * 7919 % 10007 % 50, g::bigint * 104729 % 10009 % 20,
    timestamp '2020-01-01' + g * interval '1 minute', repeat('x', 50)
  FROM generate_series($n, 45000, 3) g;
INSERT INTO banned SELECT g FROM generate_series(1, 10000) g WHERE $n = 0 AND g <> 7;");
	push @shards, $shard;
}
$shards[2]->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($shards[2], 'base', has_streaming => 1);
$replica->start;

# The coordinator sees them as one table; beside it all rows in a table of its own.
my $node = PostgreSQL::Test::Cluster->new('coordinator');
$node->init;
$node->append_conf('postgresql.conf', $conf);
$node->start;
my $sql = 'CREATE EXTENSION postgres_fdw;';
foreach my $n (0 .. 3)
{
	my $server = $n < 3 ? $shards[$n] : $replica;
	my ($host, $port) = ($server->host, $server->port);
	$sql .= qq{
CREATE SERVER s$n FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host '$host', port '$port', dbname 'postgres', async_capable 'true', use_remote_estimate 'true');
CREATE USER MAPPING FOR CURRENT_USER SERVER s$n;};
}
my $columns = 'id int, site int, author int, topic int, made timestamp, body text';
$sql .= "CREATE TABLE posts ($columns) PARTITION BY LIST (site);";
$sql .= "CREATE FOREIGN TABLE posts_$_ PARTITION OF posts FOR VALUES IN ($_) SERVER s$_ OPTIONS (table_name 'posts');" foreach 0 .. 2;
$sql .= "CREATE FOREIGN TABLE posts_replica ($columns) SERVER s3 OPTIONS (table_name 'posts');";
$sql .= "CREATE FOREIGN TABLE banned_$_ (author int) SERVER s$_ OPTIONS (table_name 'banned');" foreach 0 .. 2;
$sql .= q{
CREATE TABLE here AS SELECT * FROM posts;
CREATE TABLE banned AS SELECT g AS author FROM generate_series(1, 10000) g;
};
$node->safe_psql('postgres', $sql);
$_->safe_psql('postgres', 'VACUUM (ANALYZE)') foreach @shards;
$node->safe_psql('postgres', 'ANALYZE');
$shards[2]->wait_for_catchup($replica);

# Log the plans from now on.
foreach my $server (@shards, $replica)
{
	$server->append_conf('postgresql.conf', "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_nested_statements = on");
	$server->reload;
	$server->poll_query_until('postgres', "SELECT current_setting('auto_explain.log_min_duration') = '0'");
}

# The answer over the shards, and over the table beside it.
sub check
{
	my ($name, $query) = @_;
	my $there = $node->safe_psql('postgres', $query);
	(my $copy = $query) =~ s/\bposts\b/here/g;
	my $here = $node->safe_psql('postgres', "SET zigzag.enable = off; $copy");
	is($there, $here, "$name: the answer");
	isnt($here, '', "$name: is not empty");
}

# Log a query's plans on servers; the ones that have run on each.
sub logged
{
	my ($query, @servers) = @_;
	my @offsets = map { -s $_->logfile } @servers;
	$node->safe_psql('postgres', $query);
	return map { slurp_file($servers[$_]->logfile, $offsets[$_]) } 0 .. $#servers;
}

my $plan = sub { $node->safe_psql('postgres', "EXPLAIN (COSTS OFF, VERBOSE) $_[0]") };

# Equality on two columns
my $query = 'SELECT id, body FROM posts WHERE author = 12 AND topic = 7';
check('two conditions', "$query ORDER BY id");
my @logs = logged($query, @shards);
like($logs[$_], qr/Custom Scan \(ZigzagScan\) on posts.*author = 12/s, "two conditions: zigzagged on shard $_") foreach 0 .. 2;
my $text = $plan->($query);
like($text, qr/Async Foreign Scan on public\.posts_0.*Async Foreign Scan on public\.posts_2/s, 'two conditions: the shards work at the same time');
like($text, qr/Remote SQL: .*author = 12.* AND .*topic = 7/, 'two conditions: handed down');

# The newest ten: each shard in order, merged; none gives more than ten.
$query = 'SELECT id, made FROM posts WHERE author = 12 AND topic = 7 ORDER BY made DESC LIMIT 10';
check('the newest ten', $query);
$text = $plan->($query);
like($text, qr/Limit.*Merge Append.*Sort Key: posts\.made DESC/s, 'the newest ten: sorted answers are merged');
like($text, qr/Remote SQL: .* ORDER BY made DESC/, 'the newest ten: each shard sorts');
unlike($text, qr/ Sort\n/, 'the newest ten: and the coordinator does not');
$query = 'SELECT id, made FROM posts WHERE site = 1 AND author = 12 AND topic = 7 ORDER BY made DESC LIMIT 10';
check('one shard', $query);
@logs = logged($query, @shards);
unlike($logs[0], qr/posts/, 'one shard: another is not asked');
like($logs[1], qr/ZigzagScan.*Zigzag Key: made DESC.*actual time/s, 'one shard: zigzagged in order');
$query = 'SELECT id, made FROM posts_1 WHERE author = 12 AND topic = 7 ORDER BY made DESC LIMIT 10';
@logs = logged($query, @shards);
like($logs[1], qr/ LIMIT 10.*Limit.*ZigzagScan.*Zigzag Key: made DESC/s, 'a table of one shard: LIMIT is handed down');

# Counting: where rows need not be put together, one row comes from each shard.
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET enable_partitionwise_aggregate = on');
check('counting', 'SELECT count(*), min(made) FROM posts WHERE author = 12 AND topic = 7');
$query = 'SELECT site, count(*) FROM posts WHERE author = 12 AND topic = 7 GROUP BY site';
check('counting by shard', "$query ORDER BY site");
@logs = logged($query, @shards);
like($logs[$_], qr/Aggregate.*ZigzagScan/s, "counting by shard: on shard $_") foreach 0 .. 2;
@logs = logged('SELECT count(*) FROM posts_0 WHERE author = 12 AND topic = 7', @shards);
like($logs[0], qr/Aggregate.*ZigzagScan.*Index Only: true.*Heap Fetches: 0/s, 'counting one shard: from its indexes');

# Parameters, and a shard that is asked once per outer row
check('parameters', 'SELECT v, count(id) FROM generate_series(1, 5) v LEFT JOIN posts ON author = v AND topic = 7 GROUP BY v ORDER BY v');
$query = 'PREPARE p(int, int) AS SELECT count(*) FROM posts WHERE author = $1 AND topic = $2; SET plan_cache_mode = force_generic_plan; EXECUTE p(12, 7)';
check('a generic plan', $query);
@logs = logged($query, @shards);
like($logs[0], qr/author = \$1::integer.*ZigzagScan.*Index Cond: \(author = (?:12|\$1)\)/s, 'a generic plan: zigzagged on the shard');

# NOT IN: a set of the coordinator's, by its own node over what the shards send;
# and one within a shard, which postgres_fdw does not hand down.
$query = 'SELECT id FROM posts WHERE topic = 7 AND author NOT IN (SELECT author FROM banned WHERE author <> 7)';
check('NOT IN', "$query ORDER BY id");
like($plan->("$query AND id > (SELECT 0)"), qr/NullAwareAntiJoin.*Foreign Scan/s, 'NOT IN: a join over what the shards send');
$query = 'SELECT count(*) FROM posts_0 WHERE author NOT IN (SELECT author FROM banned_0)';
is($node->safe_psql('postgres', $query), $node->safe_psql('postgres', 'SELECT count(*) FROM here WHERE site = 0 AND author IN (0, 7)'), 'NOT IN between tables of one shard: the answer');
like($plan->($query), qr/NullAwareAntiJoin.*Foreign Scan on public\.posts_0/s, 'NOT IN between tables of one shard: a join');
$node->safe_psql('postgres', 'INSERT INTO banned_0 VALUES (NULL)');
is($node->safe_psql('postgres', $query), 0, 'NOT IN with a NULL on the shard');

# A function or view on the shard runs there as a whole.
$shards[0]->safe_psql('postgres', 'CREATE VIEW allowed AS SELECT * FROM posts WHERE author NOT IN (SELECT author FROM banned WHERE author IS NOT NULL)');
$node->safe_psql('postgres', "CREATE FOREIGN TABLE allowed_0 ($columns) SERVER s0 OPTIONS (table_name 'allowed')");
$query = 'SELECT count(*) FROM allowed_0';
is($node->safe_psql('postgres', $query), $node->safe_psql('postgres', 'SELECT count(*) FROM here WHERE site = 0 AND author IN (0, 7)'), 'a view of a shard: the answer');
@logs = logged($query, @shards);
like($logs[0], qr/NullAwareAntiJoin/, 'a view of a shard: NOT IN is a join there');

# Writes from the coordinator, by what is zigzagged on the shard
$node->safe_psql('postgres', 'UPDATE posts SET body = upper(body) WHERE author = 12 AND topic = 7; UPDATE here SET body = upper(body) WHERE author = 12 AND topic = 7');
check('after an update', 'SELECT id, body FROM posts WHERE author = 12 AND topic = 7 ORDER BY id');

# The replica
$shards[2]->wait_for_catchup($replica);
$query = 'SELECT id, made FROM posts_replica WHERE author = 12 AND topic = 7 ORDER BY made DESC LIMIT 10';
my ($log) = logged($query, $replica);
like($log, qr/ZigzagScan.*Zigzag Key: made DESC/s, 'a replica: zigzagged');
(my $primary = $query) =~ s/posts_replica/posts_2/;
is($node->safe_psql('postgres', $query), $node->safe_psql('postgres', $primary), 'a replica: the answer of its primary');

clean_log($_) for $node, $replica, @shards;
done_testing();
