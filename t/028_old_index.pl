# Indexes of a format before version 4, as pg_upgrade brings them along, do not
# order equal keys by TID: they are never a side, until REINDEX.  The version of a
# small index is changed on disk, in its first page.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use Faulty;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = zigzag_node('old');
# A page with a checksum cannot be changed so easily.
if ($node->safe_psql('postgres', 'SHOW data_checksums') eq 'on')
{
	$node->stop;
	command_ok([ 'pg_checksums', '--disable', '-D', $node->data_dir ], 'no checksums');
	$node->start;
}

# Each index is one leaf page, and has no key above it whose form has changed, too;
# nor has an old one posting lists.
$node->safe_psql('postgres', q{
CREATE TABLE t (id int, a int, b int, c int);
INSERT INTO t SELECT g, g % 3, g % 4, g % 5 FROM generate_series(1, 200) g;
CREATE INDEX t_a ON t (a) WITH (deduplicate_items = off);
CREATE INDEX t_b ON t (b);
CREATE INDEX t_c ON t (c);
CREATE TABLE p (id int, a int, b int) PARTITION BY RANGE (id);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (1) TO (101);
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (101) TO (201);
CREATE INDEX p_a ON p (a, id) WITH (deduplicate_items = off);
CREATE INDEX p_b ON p (b, id);
INSERT INTO p SELECT id, a, b FROM t;
VACUUM ANALYZE;
CHECKPOINT;
});

my $magic = 0x053162;

# Write version into the first page of an index.  Magic and version are the first
# words behind the page header; what an old format does not know, whether equal
# keys may share a posting list, is false in it.
sub set_version
{
	my ($index, $version) = @_;
	my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$index')");

	$node->stop;
	open(my $file, '+<:raw', $path) or die "$path: $!";
	seek($file, 24, 0);
	read($file, my $words, 8) == 8 or die "$path: too short";
	is((unpack('L2', $words))[0], $magic, "$index is a btree");
	cmp_ok((unpack('L2', $words))[1], '<=', 4, 'of a format that is known here');
	seek($file, 28, 0);
	print $file pack('L', $version);
	seek($file, 64, 0);
	print $file pack('C', 0);
	close($file) or die "$path: $!";
	$node->start;
}

sub plan_of
{
	my ($query) = @_;
	return $node->safe_psql('postgres', "SET zigzag.debug_force = on; SET enable_seqscan = off; EXPLAIN (COSTS OFF) $query");
}

sub answer_of
{
	my ($query) = @_;
	my $out = $node->safe_psql('postgres', "SET zigzag.debug_force = on; $query; SET zigzag.enable = off; $query;");
	my @lines = lines_of($out);
	return @lines == 2 && $lines[0] eq $lines[1] ? $lines[0] : "different: $out";
}

my $two = 'SELECT string_agg(id::text, $$,$$ ORDER BY id) FROM t WHERE a = 1 AND b = 2';
my $three = 'SELECT string_agg(id::text, $$,$$ ORDER BY id) FROM t WHERE a = 1 AND b = 2 AND c = 3';
my $parts = 'SELECT string_agg(id::text, $$,$$ ORDER BY id) FROM p WHERE a = 1 AND b = 2';
my %before = map { $_ => answer_of($_) } $two, $three, $parts;
like(plan_of($two), qr/ZigzagScan.*t_a.*t_b|ZigzagScan.*t_b.*t_a/s, 'the present format: both are sides');

for my $version (3, 2)
{
	set_version('t_a', $version);
	unlike(plan_of($two), qr/Zigzag/, "version $version: no scan of two sides");
	is(answer_of($two), $before{$two}, "version $version: the answer");
	my $plan = plan_of($three);
	like($plan, qr/ZigzagScan.*t_b/s, "version $version: the others are sides");
	unlike($plan, qr/t_a/, "version $version: and it is not among them");
	is(answer_of($three), $before{$three}, "version $version: the answer");
	# It is still the server's to use, and to change.
	like($node->safe_psql('postgres', 'SET enable_seqscan = off; EXPLAIN SELECT * FROM t WHERE a = 1'), qr/t_a/, "version $version: others use it");
	$node->safe_psql('postgres', 'INSERT INTO t VALUES (1000, 1, 2, 3)');
	is(answer_of($two), $before{$two} . ',1000', "version $version: with a new row");
	unlike(plan_of($two), qr/Zigzag/, "version $version: an insertion changes nothing");
	$node->safe_psql('postgres', 'DELETE FROM t WHERE id = 1000; REINDEX INDEX t_a');
	like(plan_of($two), qr/ZigzagScan.*t_a/s, "version $version: REINDEX makes it a side");
	is(answer_of($two), $before{$two}, "version $version: the answer, afterwards");
}

set_version('p1_a_id_idx', 3);
my $plan = plan_of($parts);
is(scalar(() = $plan =~ /ZigzagScan/g), 1, 'a partition with an old index, and one without');
unlike($plan, qr/ZigzagScan\) on p1/, 'the old one is not used');
is(answer_of($parts), $before{$parts}, 'the answer');

clean_log($node);
done_testing();
