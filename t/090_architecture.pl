# Break a copy of the tree in every way scripts/check-architecture looks for, and
# see it fail: a check that cannot fail checks nothing.
use strict;
use warnings;

use File::Basename;
use File::Copy;
use File::Path qw(make_path);
use File::Temp;
use Test::More;

my $top = dirname(dirname(File::Spec->rel2abs(__FILE__)));
my $copy = File::Temp->newdir('zigzag-arch.XXXXXX', TMPDIR => 1);

sub slurp
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	local $/;
	return <$in>;
}

sub spew
{
	my ($file, $content) = @_;
	make_path(dirname("$copy/$file"));
	open my $out, '>', "$copy/$file" or die "$copy/$file: $!";
	print $out $content;
	close $out or die "$copy/$file: $!";
}

# The files of the repository that the checks look at.
for my $file (
	map { s|^\Q$top\E/||r }
	glob("$top/src/*.c $top/src/*/*.c $top/include/*.h $top/sql/*--*.sql $top/scripts/* $top/t/lib/*.pm $top/t/lib/*/*.pm"),
	map { "$top/$_" } qw(META.json CHANGELOG.md zigzag.control t/090_architecture.pl))
{
	next unless -f "$top/$file";
	spew($file, slurp("$top/$file"));
	chmod 0755, "$copy/$file" if -x "$top/$file";
}

# The first line of output that tells the result of the checks named so.
sub result_of
{
	my ($check) = @_;
	my $output = `cd '$copy' && scripts/check-architecture '$check' 2>&1`;
	return $1 if $output =~ /^(ok|not ok) 1 - \Q$check\E/m;
	return 'skipped' if $output =~ /^ok 1 # skip/m;
	return $output;
}

# Each: the check, the file to change, and how: a string is appended.
my $c = 'src/core/zz_leapfrog.c';
my $plan = 'src/plan/zz_cost.c';
my @broken = (
	[ 'layers: includes point downward', $c, qq{#include "zz_paths.h"\n} ],
	[ 'layers: includes point downward', $plan, qq{#include "zz_exec_scan.h"\n} ],
	[ 'layers: includes point downward', 'src/exec/zz_explain.c', qq{#include "zz_cost.h"\n} ],
	[ 'layers: includes point downward', 'include/zz_cursor_btree.h', qq{#include "zz_contract.h"\n} ],
	[ 'layers: includes point downward', $c, qq{#include "../exec/zz_exec_scan.c"\n} ],
	[ 'layers: includes point downward', 'src/other/zz_other.c', "\n" ],
	[ 'core includes no executor, planner or relation header', $c, qq{#include "utils/rel.h"\n} ],
	[ 'core includes no executor, planner or relation header', $c, qq{# include "nodes/execnodes.h"\n} ],
	[ 'server versions are tested in zz_compat.h alone', $plan, "#if PG_VERSION_NUM > 0\n#endif\n" ],
	[ 'each header compiles alone', 'include/zz_cost.h', "extern RelOptInfo_ *zz_broken(void);\n" ],
	[ 'no function over 150 lines', $c, "void\nzz_long(void)\n{\n" . "\t;\n" x 151 . "}\n" ],
	[ 'no file over 900 lines', $c, "\n" x 900 ],
	[ 'scripts parse', 'scripts/lib.sh', "#", "#!/bin/bash\nif\n" ],
	[ 'scripts parse', 'scripts/demo-data', "\nsub {\n" ],
	[ 'scripts parse', 't/lib/Fuzz/Random.pm', "\nsub {\n" ],
	[ 'versions agree', 'zigzag.control', "", "default_version = '0.9'\n" ],
	[ 'versions agree', 'META.json', "", qq({"version": "2.0.0"}\n) ],
	[ 'no binary file', 'src/core/blob', "\x7fELF\0\0\1" ],
	[ 'no machine path or registry host', $c, "/* /wo" . "rk/main */\n" ],
	[ 'no warning from clang', $c, "static int\nzz_unused(void)\n{\n\treturn 1;\n}\n" ],
	[ 'laid out by pg_bsd_indent', $c, "void zz_layout(void) { ; }\n" ],
);

my (%whole, %seen);
for my $mutation (@broken)
{
	my ($check, $file, $tail, $content) = @$mutation;
	my $before = -e "$copy/$file" ? slurp("$copy/$file") : undef;

	$whole{$check} //= result_of($check);
  SKIP:
	{
		skip "$check: a program it needs is not installed", 1
		  if $whole{$check} eq 'skipped';
		is($whole{$check}, "ok", "passes: $check") unless $seen{$check}++;
		spew($file, $content // ($before // '') . $tail);
		is(result_of($check), 'not ok', "fails when $file is broken: $check");
	}

	if (defined $before) { spew($file, $before); }
	else { unlink "$copy/$file"; rmdir dirname("$copy/$file"); }
	chmod 0755, "$copy/$file" if defined $before && -x "$top/$file";
}

# Symbols are looked for in a library: any one will do.
my $empty = result_of('exported symbols');
is($empty, 'not ok', 'fails without a library: exported symbols');
spew('broken.c', "void heap_insert(void) {}\nvoid zz_fine(void) {}\n");
is(system("cd '$copy' && cc -shared -fPIC -o zigzag.so broken.c"), 0, 'library made');
is(result_of('exported symbols'), 'not ok', 'fails for a symbol of another name: exported symbols');
spew('broken.c', "void zz_fine(void) {}\nvoid _PG_init(void) {}\n");
system("cd '$copy' && cc -shared -fPIC -o zigzag.so broken.c");
is(result_of('exported symbols'), 'ok', 'passes for our own names: exported symbols');

done_testing();
