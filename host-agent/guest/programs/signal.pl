# Signals what is left of a build whose supervisor is not connected, the supervisor included. In: `build` (signal, mark,
# title, script, work). Done: the number of processes.
use strict;
use warnings;

my ($signal, %build);
($signal, @build{qw(mark title script work)}) = fields(receive_only('build'));
fail('bad_input', 'unknown signal') unless $signal =~ /\A(?:0|TERM|KILL)\z/;
$build{supervisor} = find_supervisor($build{title});
my $count = signal_build(\%build, $signal);
if ($build{supervisor}) {
  $count += 1;
  # It ignores SIGTERM, and exits by itself once nobody needs it.
  kill('KILL', $build{supervisor}) if $signal eq 'KILL';
}
finish($count);
