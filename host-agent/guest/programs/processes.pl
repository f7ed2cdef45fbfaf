# Finds and signals the processes of a build. `%build`: `mark` (NAME=value in the environment of everything that the build
# starts), `title` (of its supervisor), `supervisor` (its process id, or 0), `script` (process id, group and session of the
# script, or 0), `work` (the folder it works in, or '').
use strict;
use warnings;

# Returns all processes except zombies: pid, parent, group, session (0: unknown), user, command, environment.
# The environment begins and ends with the separator; it is empty where it cannot be read.
sub list_processes {
  return -e '/proc/self/stat' ? list_proc() : list_ps('/bin/ps');
}

sub read_file {
  my ($name) = @_;
  open my $file, '<:raw', $name or return '';
  local $/;
  my $text = <$file>;
  return defined $text ? $text : '';
}

sub list_proc {
  opendir my $folder, '/proc' or fail_call('/proc');
  my @found;
  for my $pid (grep { /\A[0-9]+\z/ } readdir $folder) {
    # The name of the command is in parentheses and may contain anything.
    my ($state, $parent, $group, $session) = read_file("/proc/$pid/stat") =~ /.*\) (\S) (\d+) (\d+) (\d+)/s or next;
    next if $state =~ /[ZX]/;
    push @found, {
      pid => $pid, parent => $parent, group => $group, session => $session, user => (stat "/proc/$pid")[4],
      command => read_file("/proc/$pid/cmdline"), separator => "\0", environment => "\0" . read_file("/proc/$pid/environ"),
    };
  }
  return @found;
}

# As macOS prints them: the environment follows the command on the same line.
sub list_ps {
  my ($ps) = @_;
  # One option for each column: what follows `=` in an option is a heading.
  my @columns = map { ('-o', "$_=") } qw(pid ppid pgid uid stat command);
  my $child = open my $lines, '-|', $ps, '-axEww', @columns or fail_call('ps');
  my @found;
  while (my $line = <$lines>) {
    my ($pid, $parent, $group, $user, $state, $command) = $line =~ /\A\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/ or next;
    next if $state =~ /\AZ/ || $pid == $child;
    push @found, {
      pid => $pid, parent => $parent, group => $group, session => 0, user => $user,
      command => $command, separator => ' ', environment => " $command ",
    };
  }
  close $lines;
  return @found;
}

sub carries {
  my ($process, $assignment) = @_;
  return index($process->{environment}, "$process->{separator}$assignment$process->{separator}") >= 0;
}

# Returns the working folders of these processes, as far as they are known.
sub folders_of {
  my @pids = @_;
  return map { my $folder = readlink "/proc/$_/cwd"; defined $folder ? ($_ => $folder) : () } @pids if -e '/proc/self/stat';
  my %folders;
  return %folders unless @pids;
  open my $lines, '-|', '/usr/sbin/lsof', '-a', '-d', 'cwd', '-p', join(',', @pids), '-Fpn' or return %folders;
  my $pid = 0;
  while (my $line = <$lines>) {
    if ($line =~ /\Ap(\d+)/) { $pid = $1 }
    elsif ($line =~ /\An(.*)/) { $folders{$pid} = $1 }
  }
  close $lines;
  return %folders;
}

# Returns the processes that have detached themselves and cleared their environment, but still work in the work folder.
sub strays {
  my ($build, @all) = @_;
  return () if $build->{work} eq '';
  my @candidates = grep {
    $_->{parent} == 1 && defined $_->{user} && $_->{user} == $< && index($_->{environment}, "$_->{separator}HOME=") < 0
  } @all;
  my %folders = folders_of(map { $_->{pid} } @candidates);
  return grep { "$folders{$_}/" =~ /\A\Q$build->{work}\E\// } keys %folders;
}

# Returns a hash whose keys are the process ids of the build.
sub choose {
  my ($build, $with_strays) = @_;
  my @all = list_processes();
  my %chosen;
  for my $process (@all) {
    my $in_script = $build->{script} > 1 && ($process->{group} == $build->{script} || $process->{session} == $build->{script});
    my $below = $build->{supervisor} > 1 && $process->{parent} == $build->{supervisor};
    $chosen{$process->{pid}} = 1 if $in_script || $below || carries($process, $build->{mark});
  }
  if ($with_strays) { $chosen{$_} = 1 for strays($build, @all) }
  for (my $before = -1; $before != keys %chosen;) {
    $before = keys %chosen;
    for my $process (@all) { $chosen{$process->{pid}} = 1 if $chosen{$process->{parent}} }
  }
  delete $chosen{$$};
  return %chosen;
}

# Signals every process of the build once (0: only counts them) and returns how many there were. The list is read again
# until it has nothing new. For KILL they are stopped first: once a parent has exited its children are no longer its
# descendants, so none may exit before all are known.
sub signal_build {
  my ($build, $signal) = @_;
  if ($signal eq '0') { my %now = choose($build, 0); return scalar keys %now }
  my %found;
  for (1 .. 20) {
    my %now = choose($build, $signal eq 'KILL');
    # Parents are mostly older than their children: a shell gets SIGTERM before the command that it waits for has ended.
    my @fresh = sort { $a <=> $b } grep { !$found{$_} } keys %now or last;
    for my $pid (@fresh) {
      $found{$pid} = 1;
      kill($signal eq 'KILL' ? 'STOP' : $signal, $pid);
      # A stopped process would not handle the signal.
      kill('CONT', $pid) if $signal eq 'TERM';
    }
  }
  if ($signal eq 'KILL') { kill('KILL', $_) for keys %found }
  return scalar keys %found;
}

# Returns the process id of the supervisor with this title, or 0.
sub find_supervisor {
  my ($title) = @_;
  for my $process (list_processes()) {
    return $process->{pid} if $process->{pid} != $$ && $process->{command} =~ /\A\Q$title\E(?:[\0 ]|\z)/;
  }
  return 0;
}
1;
