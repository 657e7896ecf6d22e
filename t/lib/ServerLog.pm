# What a server says in its log that no test may make it say.
#
#	my @alarms = ServerLog::alarms($text);				lines of the log, in its order
#	my @alarms = ServerLog::alarms($text, qr/.../);		but for those the test provokes
#
# PostgreSQL reports a leak of a pin, a lock, a snapshot or a file as a WARNING.
# What the log quotes, a query above all, is not what the server says: only the
# severity of a message counts, and what is printed with none.
package ServerLog;

use strict;
use warnings;

# A message: its line begins with the time, whatever else log_line_prefix says.
my $message = qr/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*?\b([A-Z]+[1-5]?):  (.*)/;

# A process that ended as none should.  A background worker that is told to end
# does so with exit code 1.
my $ended = qr/ \(PID \d+\) was terminated by signal|^(?!background worker).* \(PID \d+\) exited with exit code/;

# What does not come by the server's reporting of messages.
my $raw = qr/^(?:TRAP: |==\d+==ERROR: |SUMMARY: \w+Sanitizer|[^\t].*: runtime error: )/;

sub alarms
{
	my ($text, $expected) = @_;
	my ($messages, @alarms) = (0);

	for my $line (split /\n/, $text)
	{
		my ($severity, $said) = $line =~ $message;
		my $bad = !defined $severity ? $line =~ $raw
		  : $severity eq 'LOG' ? $said =~ $ended
		  : $severity =~ /^(?:WARNING|PANIC)$/;

		$messages++ if defined $severity;
		push @alarms, $line if $bad && !(defined $expected && $line =~ $expected);
	}
	# A log that cannot be read has nothing bad in it either.
	push @alarms, 'no message of a server' unless $messages;
	return @alarms;
}

1;
