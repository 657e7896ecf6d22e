# Logical replication beside zigzag: the subscriber reads while changes are
# applied, the publisher while it is written to, and the first copy of a table is
# itself a query with a ZigzagScan.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical');
$publisher->append_conf('postgresql.conf', zigzag_conf() . "zigzag.debug_force = on
enable_bitmapscan = off");
$publisher->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
$subscriber->append_conf('postgresql.conf', zigzag_conf() . "zigzag.debug_force = on");
$subscriber->start;

my $tables = q{
CREATE TABLE r (id int PRIMARY KEY, a int, b int, n int);
CREATE INDEX r_a ON r (a, id);
CREATE INDEX r_b ON r (b, id);
CREATE TABLE f (id int PRIMARY KEY, a int, b int, n int);
CREATE INDEX f_a ON f (a);
CREATE INDEX f_b ON f (b);
};
$publisher->safe_psql('postgres', $tables . q{
INSERT INTO r SELECT g, g % 3, g % 4, 0 FROM generate_series(1, 6000) g;
INSERT INTO f SELECT * FROM r;
ALTER TABLE f REPLICA IDENTITY FULL;
VACUUM ANALYZE;
CREATE PUBLICATION pub FOR TABLE r, f WHERE (a = 1 AND b = 2);
});
$subscriber->safe_psql('postgres', $tables);
my $connection = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION sub CONNECTION '$connection' PUBLICATION pub");
$subscriber->wait_for_subscription_sync($publisher, 'sub');
like($publisher->safe_psql('postgres', 'EXPLAIN SELECT * FROM f WHERE a = 1 AND b = 2'), qr/ZigzagScan/, 'the plan of the first copy');
is($subscriber->safe_psql('postgres', 'SELECT count(*), sum(id) FROM f'), $publisher->safe_psql('postgres', 'SET zigzag.enable = off; SELECT count(*), sum(id) FROM f WHERE a = 1 AND b = 2'), 'and has the rows it should');
$subscriber->safe_psql('postgres', 'VACUUM ANALYZE');

# Each transaction leaves as many rows with a = 1 and b = 2 as there were.  The
# writer goes on until both servers were read in several states.
$publisher->safe_psql('postgres', 'CREATE TABLE enough ()');
my $writer = Faulty::Session->new($publisher);
$writer->tell(q{DO $$ BEGIN
FOR i IN 1 .. 100000 LOOP
  EXIT WHEN EXISTS (SELECT FROM enough);
  UPDATE r SET id = -id, n = i WHERE a = 1 AND b = 2 AND abs(id) % 20 = i % 20;
  DELETE FROM r WHERE id = (SELECT min(id) FROM r WHERE a = 1 AND b = 2);
  INSERT INTO r VALUES (200000 + i, 1, 2, 0);
  UPDATE f SET n = n + 1 WHERE a = 1 AND b = 2 AND id % 7 = i % 7;
  COMMIT;
  PERFORM pg_sleep(0.01);
END LOOP; END $$;});

my $rows = 500;
my @wrong;
my %seen;
for my $round (1 .. 1000)
{
	for my $node ($publisher, $subscriber)
	{
		my $out = $node->safe_psql('postgres', q{
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*), sum(id) FROM r WHERE a = 1 AND b = 2;
SELECT count(*), sum(id + n) FROM r WHERE a = 1 AND b = 2;
SET LOCAL zigzag.enable = off;
SELECT count(*), sum(id) FROM r WHERE a = 1 AND b = 2;
SELECT count(*), sum(id + n) FROM r WHERE a = 1 AND b = 2;
COMMIT;});
		my @lines = lines_of($out);
		$seen{ $node->name }{ $lines[1] } = 1;
		push @wrong, $node->name . ": $out" if $lines[0] ne $lines[2] || $lines[1] ne $lines[3] || $lines[0] !~ /^$rows\|/;
	}
	last if $round > 5 && keys %{ $seen{publisher} } > 3 && keys %{ $seen{subscriber} } > 3;
}
$publisher->safe_psql('postgres', 'INSERT INTO enough DEFAULT VALUES');
is($writer->answer, '', 'the publisher was written to');
$writer->quit;
is("@wrong", '', 'each snapshot is whole, and the same with zigzag off');
cmp_ok(scalar(keys %{ $seen{subscriber} }), '>', 1, 'the subscriber was read while changes came (' . scalar(keys %{ $seen{subscriber} }) . ' states)');

$publisher->wait_for_catchup('sub');
for my $query ('SELECT count(*), sum(id + n) FROM r WHERE a = 1 AND b = 2', 'SELECT count(*), sum(id + n) FROM f WHERE a = 1 AND b = 2')
{
	same_answers($subscriber, 'subscriber', $query);
	is($subscriber->safe_psql('postgres', $query), $publisher->safe_psql('postgres', $query), "both agree: $query");
}

clean_log($subscriber);
clean_log($publisher);
done_testing();
