# Runs one command and sends what it prints. It is killed with its process group when the host goes away.
# In: `command` (arguments, each ended by NUL), `environment` (NAME=value, each ended by NUL; added to the present one),
# `input` (standard input of the command). Out: `output`, `errors`; done: exit status, 128 + n for a signal n.
use strict;
use warnings;
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use POSIX ();

my @command = fields(receive_only('command'));
my @environment = fields(receive_only('environment'));
my $input = receive_only('input');

# When the connection breaks, the guest agent kills only the process that it has started. So the work is done in another
# one, which then sees the end of its input.
my $worker = fork;
fail_call('fork') unless defined $worker;
if ($worker) { waitpid($worker, 0); exit 0 }
POSIX::setsid();

pipe(my $from_us, my $to_child) or fail_call('pipe');
pipe(my $output, my $child_output) or fail_call('pipe');
pipe(my $errors, my $child_errors) or fail_call('pipe');
my $child = fork;
fail_call('fork') unless defined $child;
if ($child == 0) {
  $SIG{PIPE} = 'DEFAULT';
  setpgrp(0, 0);
  POSIX::dup2(fileno $from_us, 0);
  POSIX::dup2(fileno $child_output, 1);
  POSIX::dup2(fileno $child_errors, 2);
  for (@environment) { $ENV{$1} = $2 if /\A([^=]+)=(.*)\z/s }
  exec { $command[0] } @command or print STDERR "$command[0]: $!\n";
  POSIX::_exit($!{ENOENT} ? 127 : 126);
}
close $_ for $from_us, $child_output, $child_errors;
fcntl($to_child, F_SETFL, fcntl($to_child, F_GETFL, 0) | O_NONBLOCK);

pipe(my $woken, my $wake) or fail_call('pipe');
fcntl($wake, F_SETFL, fcntl($wake, F_GETFL, 0) | O_NONBLOCK);
$SIG{CHLD} = sub { syswrite $wake, 'x' };
my %open = ('output' => $output, 'errors' => $errors);
my $host_here = 1;
my $status;
while (1) {
  # A process that the command left behind may keep its pipes open, so the command's exit ends the call.
  if (!defined $status && waitpid($child, POSIX::WNOHANG()) == $child) {
    $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  }
  if (defined $to_child && $input eq '') { close $to_child; undef $to_child }
  my ($readable, $writable) = ('', '');
  vec($readable, fileno $_, 1) = 1 for values %open;
  vec($readable, 0, 1) = 1 if $host_here;
  vec($writable, fileno $to_child, 1) = 1 if defined $to_child;
  vec($readable, fileno $woken, 1) = 1 unless defined $status;
  # After the exit, only what has already been printed is read. Perl runs a signal's handler between two operations, so a
  # command that exits just before this wait is noticed at its end: soon, when its output has ended.
  my $wait = defined $status ? 0 : %open ? 1 : 0.05;
  next if select($readable, $writable, undef, $wait) < 0;
  if (vec($readable, fileno $woken, 1)) { sysread $woken, my $ignored, 64 }
  if (defined $to_child && vec($writable, fileno $to_child, 1)) {
    my $sent = syswrite($to_child, $input);
    if (defined $sent) { substr($input, 0, $sent, '') }
    elsif (!$!{EAGAIN} && !$!{EINTR}) { $input = '' }
  }
  my $read = 0;
  for my $name (sort keys %open) {
    next unless vec($readable, fileno $open{$name}, 1);
    my $got = sysread($open{$name}, my $bytes, 65536);
    $read = 1 if $got;
    if ($got) { send_frame($name, $bytes) }
    elsif (defined $got) { delete $open{$name} }
  }
  if ($host_here && vec($readable, 0, 1)) {
    my $got = sysread(STDIN, my $ignored, 4096);
    if (defined $got && $got == 0) {
      kill 'KILL', -$child;
      # What sudo has started belongs to root.
      exec 'sudo', '-n', '/usr/bin/perl', '-e', 'kill KILL => -$ARGV[0]', $child if grep { $_ eq 'sudo' } @command;
      exit 1;
    }
  }
  last if defined $status && !$read;
}
finish($status);
