# scripts/core-compare judges the runs of PostgreSQL's own suites: what it must let
# pass, and what it must not.
use strict;
use warnings;

use File::Basename;
use File::Path qw(make_path remove_tree);
use File::Spec;
use File::Temp;
use Test::More;

my $compare = dirname(dirname(File::Spec->rel2abs(__FILE__))) . '/scripts/core-compare';
my $dir = File::Temp->newdir('zigzag-compare.XXXXXX', TMPDIR => 1);

sub spew
{
	my ($file, $content) = @_;
	make_path(dirname("$dir/$file"));
	open my $out, '>', "$dir/$file" or die "$dir/$file: $!";
	print $out $content;
	close $out or die "$dir/$file: $!";
}

# Compare two outputs of one test; returns whether they pass, and what is said.
# An output that is undef does not exist.
sub verdict
{
	my ($baseline, $run, %option) = @_;
	remove_tree(map { "$dir/$_" } qw(base run expected));
	make_path(map { "$dir/$_" } qw(base run expected));
	spew('base/case.out', $baseline);
	spew('run/case.out', $run) if defined $run;
	spew('expected/case_1.out', $option{expected}) if defined $option{expected};
	spew('list.md', $option{list} // '');
	my $said = join '', readpipe(join ' ', $compare, '--suite', $option{suite} // 'regress',
		'--variant force --server 15', $option{exact} ? () : '--loose',
		"--list $dir/list.md --expected $dir/expected $dir/base $dir/run 2>&1");
	return ($? == 0, $said);
}

sub passes
{
	my ($name, @case) = @_;
	my ($pass, $said) = verdict(@case);
	ok($pass, "passes: $name") or diag($said);
}

sub fails
{
	my ($name, $expected, @case) = @_;
	my ($pass, $said) = verdict(@case);
	ok(!$pass && $said =~ $expected, "fails: $name") or diag($said);
}

# What psql shows for a query, with its rows.
sub output
{
	my ($sql, @rows) = @_;
	my $count = @rows == 1 ? '1 row' : scalar(@rows) . ' rows';
	return "-- a comment\n$sql\n a | b \n---+---\n" . join('', map { "$_\n" } @rows) . "($count)\n\nSELECT 1;\n";
}

sub explained
{
	my ($sql, $node) = @_;
	return "$sql\n QUERY PLAN \n------------\n $node\n(1 row)\n\n";
}

my @rows = (' 1 | x', ' 2 | y', ' 3 | z');
my @other = @rows[ 2, 0, 1 ];
my $plain = "SELECT a, b\n\tFROM t;";

passes('equal results', output($plain, @rows), output($plain, @rows));
passes('another order of rows', output($plain, @rows), output($plain, @other));
fails('another order of rows, exactly', qr/differs after\n    SELECT a, b FROM t;/,
	output($plain, @rows), output($plain, @other), exact => 1);
fails('another order of rows with ORDER BY', qr/ORDER BY a/,
	map { output("SELECT a, b FROM t\nORDER BY a;", @$_) } \@rows, \@other);
passes('another order of rows with ORDER BY in a subquery',
	map { output('SELECT * FROM (SELECT a, b FROM t ORDER BY (a)) s;', @$_) } \@rows, \@other);
fails('another order of rows of a cursor', qr/FETCH/,
	map { output('FETCH ALL FROM c;', @$_) } \@rows, \@other);
fails('another row', qr/> +3 \| q/, output($plain, @rows), output($plain, @rows[ 0, 1 ], ' 3 | q'));
fails('a row too few', qr/\(2 rows\)/, output($plain, @rows), output($plain, @rows[ 0, 1 ]));
fails('a row twice', qr/differs/, output($plain, @rows), output($plain, @rows[ 0, 1, 1 ]));
fails('an error', qr/> ERROR/, output($plain, @rows), "-- a comment\n$plain\nERROR:  broken\nSELECT 1;\n");
my ($here, $there, $else) = map { "$plain\nERROR:  could not read blocks $_\n" }
  '0..0 in file "base/5/16384"', '0..0 in file "base/5/16390"', '0..1 in file "base/5/16390"';
passes('an error about a file of another number', $here, $there);
fails('another error about one', qr/0\.\.1/, $here, $else);
fails('no result', qr/has no result/, output($plain, @rows), undef);
fails('a session that ended early', qr/differs/, output($plain, @rows), "-- a comment\n");

my @long = (" 1 | v+\n   | w", " 2 | v+\n   | x");
passes('rows of several lines in another order', output($plain, @long), output($plain, reverse @long));
fails('lines of several rows exchanged', qr/differs/, output($plain, @long),
	output($plain, " 1 | v+\n   | x", " 2 | v+\n   | w"));

my @plans = map { explained('EXPLAIN SELECT 1 FROM t;', $_) } 'Seq Scan', 'Custom Scan (ZigzagScan)';
passes('another plan', @plans);
fails('another plan, exactly', qr/EXPLAIN/, @plans, exact => 1);
fails('another result behind a plan', qr/3 \| q/,
	$plans[0] . output($plain, @rows), $plans[1] . output($plain, ' 3 | q', @rows[ 0, 1 ]));
my @bare = map { "\\t\nEXPLAIN SELECT 1\n $_\n   Filter: a\n\n\\t\n" } 'Seq Scan', 'Custom Scan (ZigzagScan)';
passes('another plan without a header', @bare);
fails('another result behind a plan without a header', qr/3 \| q/,
	$bare[0] . output($plain, @rows), $bare[1] . output($plain, ' 3 | q', @rows[ 0, 1 ]));
passes('another result that PostgreSQL expects, too', output($plain, @rows), output($plain, $rows[0]),
	expected => output($plain, $rows[0]));

my @different = (output($plain, @rows), output($plain, $rows[0]));
my $entry = "# Differences\n\n### regress/case: default, force\n\n    SELECT a, b\n\nBecause.\n";
passes('a difference that is explained', @different, list => $entry);
fails('one explained for another variant', qr/3 \| z/, @different, list => $entry =~ s/, force//r);
fails('one explained for another server', qr/3 \| z/, @different, list => $entry =~ s/force/force 18/r);
fails('one explained for another test', qr/3 \| z/, @different, list => $entry =~ s/case/other/r);
fails('one explained for another statement', qr/3 \| z/, @different, list => $entry =~ s/SELECT a/SELECT c/r);
fails('an explanation of nothing', qr/does not differ any more/, @different[ 0, 0 ], list => $entry);
passes('an explanation of what is so sometimes', @different[ 0, 0 ], list => $entry =~ s/force/force sometimes/r);
fails('an explanation without a reason', qr/gives no reason/, @different, list => $entry =~ s/Because.//r);
fails('an explanation without a statement', qr/names no statement/, @different, list => $entry =~ s/    S.*//r);

# isolationtester: a step that had to wait gives its result later.
sub steps
{
	my ($sql, @rows) = @_;
	return "Parsed test spec with 2 sessions\n\nstarting permutation: s1 s2\n"
	  . "step s1: $sql <waiting ...>\nstep s2: COMMIT;\nstep s1: <... completed>\na|b\n-+-\n"
	  . join('', map { "$_\n" } @rows) . '(' . @rows . " rows)\n\n";
}
my $select = "SELECT a, b\n\tFROM t;";
my $sorted = "SELECT a, b FROM t\n\tORDER BY a;";
passes('another order of rows of a step',
	steps($select, qw(1|2 3|4)), steps($select, qw(3|4 1|2)), suite => 'isolation');
fails('another order of rows of a step with ORDER BY', qr/ORDER BY a/,
	steps($sorted, qw(1|2 3|4)), steps($sorted, qw(3|4 1|2)), suite => 'isolation');
fails('another row of a step', qr/3\|5/,
	steps($select, qw(1|2 3|4)), steps($select, qw(1|2 3|5)), suite => 'isolation');
done_testing();
