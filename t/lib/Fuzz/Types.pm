# The types of columns: the name in SQL; an expression of %s, an integer, and %g,
# the number of the row, for the values; with what else an equality may compare
# it; and, where equal values may print differently, an expression of %c that
# prints alike.
package Fuzz::Types;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(type type_names hashed value_of canonical bare_type prelude);

my %types = (
	array => ['int4[]', 'ARRAY[(%s)::int4, 7]'],
	bit => ['bit(8)', '(%s)::int4::bit(8)'],
	bool => ['bool', '((%s) %% 2 = 0)'],
	bpchar => ['char(6)', "('c' || (%s))::char(6)"],
	bytea => ['bytea', "decode(md5((%s)::text), 'hex')"],
	char => ['"char"', '(chr(97 + ((%s) %% 20)::int))::"char"'],
	citext => ['citext', "(CASE WHEN (%g) %% 2 = 0 THEN 'cI' ELSE 'Ci' END || (%s))::citext", [], 'lower(%c::text)'],
	date => ['date', "CASE (%s) WHEN 0 THEN date 'infinity' ELSE date '2020-01-01' + (%s)::int END", ['timestamp']],
	domain_int => ['whole', '(%s)::int4', ['int8']],
	domain_text => ['label', "('d' || (%s))", ['text']],
	enum => ['mood', "(ARRAY['sad', 'ok', 'glad', 'happy'])[1 + (%s) %% 4]::mood"],
	float4 => ['float4', '((%s)::float4 / 3)', ['float8']],
	float8 => ['float8', "CASE (%s) WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN (CASE WHEN (%g) %% 2 = 0 THEN '-0'::float8 ELSE '0'::float8 END) WHEN 2 THEN '-Infinity'::float8 ELSE (%s)::float8 / 3 END", [], '%c + 0'],
	inet => ['inet', "('10.0.' || (%s) %% 200 || '.1')::inet"],
	int2 => ['int2', '(%s)::int2', ['int8', 'int4']],
	int4 => ['int4', '(%s)::int4', ['int8', 'int2']],
	int8 => ['int8', 'CASE (%s) WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE (%s) END::int8'],
	int8s => ['int8', '(%s)::int8', ['int4', 'int2']],
	interval => ['interval', "CASE WHEN (%g) %% 2 = 0 THEN (%s) * interval '24 hours' ELSE (%s) * interval '1 day' END", [], 'justify_hours(%c)'],
	jsonb => ['jsonb', "jsonb_build_object('a', (%s))"],
	macaddr => ['macaddr', "('08:00:2b:01:02:' || to_hex(16 + (%s) %% 200))::macaddr"],
	multirange => ['int4multirange', 'int4multirange(int4range((%s)::int4, (%s)::int4 + 5))'],
	name => ['name', "('n' || (%s))::name", ['text']],
	numeric => ['numeric', "CASE WHEN (%s) = 0 THEN 'NaN' WHEN (%g) %% 2 = 0 THEN (%s)::numeric / 4 ELSE round((%s)::numeric / 4, 4) END", [], 'trim_scale(%c)'],
	oid => ['oid', '(%s)::int4::oid'],
	pair => ['pair', "ROW(CASE WHEN (%s) %% 5 <> 0 THEN (%s) %% 3 END, 'p')::pair"],
	range => ['int4range', 'int4range((%s)::int4, (%s)::int4 + 5)'],
	text => ['text', "'v' || (%s)", ['varchar']],
	text_array => ['text[]', "ARRAY['a', NULL, (%s)::text]"],
	textc => ['text COLLATE "C"', "repeat('x', ((%s) %% 5)::int) || (%s)"],
	textlong => ['text', "repeat(md5((%s)::text), 1 + ((%s) %% 3)::int)"],
	texticu => ['text COLLATE spoken', "(CASE WHEN (%s) %% 2 = 0 THEN 'A' ELSE 'a' END) || (%s)"],
	textnd => ['text COLLATE caseless', "(CASE WHEN (%g) %% 2 = 0 THEN 'A' ELSE 'a' END) || (%s)", [], 'lower(%c)'],
	time => ['time', "time '00:00' + (%s) * interval '1 minute'"],
	timestamp => ['timestamp', "timestamp '2020-01-01' + (%s) * interval '1 hour'", ['date']],
	timetz => ['timetz', "(time '00:00' + (%s) * interval '1 minute') AT TIME ZONE 'UTC'"],
	ts => ['timestamptz', "CASE (%s) WHEN 0 THEN timestamptz 'infinity' WHEN 1 THEN timestamptz '-infinity' ELSE timestamptz '2020-01-01 00:00:00+00' + (%s) * interval '1 hour' END"],
	uuid => ['uuid', 'md5((%s)::text)::uuid'],
	varbit => ['varbit', '(%s)::int4::bit(12)::varbit'],
	varchar => ['varchar(20)', "('w' || (%s))::varchar", ['text']],
);
# What a server may lack, and what stands in.
my %needs = (texticu => 'icu', textnd => 'icu', citext => 'citext');

sub type_names { return sort keys %types; }

# The type of that name, if the server has it.
sub type
{
	my ($name, $features) = @_;
	$name = 'text' if $needs{$name} && !$features->{ $needs{$name} };
	my ($sql, $value, $cross, $canonical) = @{ $types{$name} };
	return { name => $name, sql => $sql, value => $value, cross => $cross // [], canonical => $canonical };
}

# A random integer in [0, m) for each $g, an expression.
sub hashed
{
	my ($g, $seed, $m) = @_;
	return "abs(hashint8extended($g, $seed) % $m)";
}

# Without the collation.
sub bare_type
{
	my ($type) = @_;
	(my $sql = $type->{sql}) =~ s/ COLLATE.*//;
	return $sql;
}

# The value for the integer $s in row $g, both expressions.
sub value_of
{
	my ($type, $s, $g) = @_;
	my $value = $type->{value};
	$value =~ s/%%/%/g;
	$value =~ s/\(%s\)/$s/g;
	$value =~ s/\(%g\)/($g)/g;
	return $value;
}

# An expression that prints alike for equal values of a column.
sub canonical
{
	my ($type, $column) = @_;
	(my $expr = $type->{canonical} // '%c') =~ s/%c/$column/;
	return $expr;
}

# What types and conditions need, as statements.  leaky() might tell what it sees,
# so it must not be tested before a security barrier.
sub prelude
{
	my ($features) = @_;
	return ("CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad', 'happy')",
		'CREATE TYPE pair AS (p int, q text)',
		'CREATE DOMAIN whole AS int CHECK (VALUE > -1000000)',
		'CREATE DOMAIN label AS text',
		"CREATE FUNCTION leaky(value text) RETURNS bool LANGUAGE plpgsql COST 0.001 AS 'BEGIN RETURN value IS NULL OR length(value) % 5 <> 0; END'",
		$features->{icu}
		? ("CREATE COLLATION spoken (provider = icu, locale = 'de')",
			"CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
		: ());
}

1;
