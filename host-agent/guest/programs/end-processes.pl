# Ends the processes of the guest's user, except this session, the guest agent, and what macOS runs for every user.
use strict;
use warnings;

# Daemons of macOS that cache files of the home folder; launchd restarts them.
my $holds_files = qr{(?:\A|/)(?:cfprefsd|secd|pboard|com\.apple\.CoreSimulator\.[^/]*)\z};
# sshd names its processes after their sessions: "sshd: admin@notty".
my $of_session = qr{(?:\A|/)(?:sshd(?:-session|-auth)?(?::.*)?|tart-guest-agent|launchd|loginwindow)\z};
my $of_macos = qr{\A(?:/System/|/usr/libexec/|/usr/sbin/)};

sub processes {
  my %processes;
  for (output_of('ps', '-ax', map { ('-o', "$_=") } qw(pid ppid uid stat comm))) {
    my ($pid, $parent, $uid, $state, $command) = /\A\s*([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+(\S+)\s+(.*?)\s*\z/ or next;
    $processes{$pid} = { parent => $parent, uid => $uid, command => $command } unless $state =~ /\AZ/;
  }
  fail('no_processes', 'ps does not list the processes') unless $processes{$$};
  return %processes;
}

# Returns the processes to end. Processes of jobs that the image had are kept.
sub foreign_processes {
  my ($image_labels) = @_;
  my %processes = processes();
  my %jobs = launch_jobs();
  my %kept = map { $jobs{$_} => 1 } grep { $image_labels->{$_} } keys %jobs;
  for (my $pid = $$; $pid && $processes{$pid}; $pid = $processes{$pid}{parent}) { $kept{$pid} = 1 }
  my @foreign;
  for my $pid (keys %processes) {
    my ($parent, $uid, $command) = @{ $processes{$pid} }{qw(parent uid command)};
    next if $uid != $< || $parent == $$ || $pid == 1;
    next if $kept{$pid} && $command !~ $holds_files;
    next if $command =~ $of_session || ($command =~ $of_macos && $parent == 1 && $command !~ $holds_files);
    push @foreign, $pid;
  }
  return @foreign;
}

# Stops all first: once a parent has ended, its children are no longer found below it, and none may start another.
sub end_processes {
  my ($image_labels) = @_;
  my %jobs = launch_jobs();
  my %processes = processes();
  my %session;
  for (my $pid = $$; $pid && $processes{$pid}; $pid = $processes{$pid}{parent}) { $session{$pid} = 1 }
  for my $label (keys %jobs) {
    next if $image_labels->{$label} || $label =~ /\A(?:com\.apple|application)\./ || $session{ $jobs{$label} };
    output_of('launchctl', 'bootout', "gui/$</$label");
    output_of('launchctl', 'remove', $label);
  }
  my $left = 0;
  for my $round (1 .. 50) {
    my @foreign = foreign_processes($image_labels) or return;
    kill 'STOP', @foreign;
    kill 'KILL', @foreign;
    $left = @foreign;
    # Daemons of macOS come back at once.
    return if $round > 3 && !grep { defined } other_than_daemons(@foreign);
    select(undef, undef, undef, 0.05);
  }
  fail('processes_left', "$left processes cannot be ended");
}

sub other_than_daemons {
  my %processes = processes();
  return grep { $processes{$_} && $processes{$_}{command} !~ $holds_files } @_;
}
