# The home folder of the guest's user: which parts are caches, and what is beside it that belongs to the user.
use strict;
use warnings;
use Cwd ();
use POSIX ();

my $home;

sub home { return $home }

# Refuses to run anywhere but in a session of an ordinary user of macOS: these programs delete files and end processes.
sub enter_home {
  my ($product) = output_of('sw_vers', '-productName');
  fail('not_macos', 'this is not macOS') unless defined $product && $product =~ /\Amac ?OS/i;
  fail('root', 'the session is that of root') if $< == 0;
  $home = (getpwuid($<))[7];
  fail('no_home', 'HOME is not the home folder of the user') unless defined $home && ($ENV{HOME} || '') eq $home;
  chdir $home or fail_call($home);
  # Paths are compared without links: /tmp is one.
  fail('no_home', 'the home folder is a link') unless Cwd::getcwd() eq $home;
}

# Returns the lines that a command prints; none when it fails. It reads nothing.
sub output_of {
  my @command = @_;
  my $pid = open(my $output, '-|');
  fail_call('fork') unless defined $pid;
  if ($pid == 0) {
    open(STDIN, '<', '/dev/null');
    open(STDERR, '>', '/dev/null');
    exec { $command[0] } @command or POSIX::_exit(127);
  }
  my @lines = <$output>;
  close $output;
  chomp @lines;
  return $? == 0 ? @lines : ();
}

# Caches that builds fill and that a reset with keep_cache keeps, relative to the home folder.
my @caches = qw(
  Library/Developer/Xcode/DerivedData
  Library/Caches/org.swift.swiftpm
  Library/org.swift.swiftpm
  Library/Caches/CocoaPods
  Library/Caches/Homebrew
  Library/Caches/pip
  .cocoapods
  .gradle
  .npm
);
my %cache = map { $_ => 1 } @caches;
my %above_cache;
for my $cache (@caches) {
  my $parent = $cache;
  $above_cache{$parent} = 1 while $parent =~ s{/[^/]+\z}{};
}

# Paths are relative to the home folder.
sub is_cache { return $cache{ $_[0] } }
sub holds_cache { return $above_cache{ $_[0] } }

# Settings in a folder of caches, which may contain passwords.
sub is_setting_in_cache {
  return $_[0] =~ m{\A\.gradle/(?:gradle\.properties|gradle\.encryption|init\.gradle(?:\.kts)?|init\.d)\z};
}

# The files of a simulator; simctl erases them.
sub is_simulator_data {
  return $_[0] =~ m{\ALibrary/Developer/CoreSimulator/(?:Devices/[^/]+/data|Caches|Temp)\z};
}

# Folders beside the home in which users leave files; only names are remembered, and only own files are deleted.
sub shared_places { return ('/private/tmp', '/Users/Shared') }

# macOS asks at the screen whether a program may read these folders. Nobody answers, so the program would wait.
my %asks = map { $_ => 1 } qw(Desktop Documents Downloads Movies Music Pictures);

# Returns whether a process that reads the folder gets an answer within seconds.
sub answers {
  my ($folder) = @_;
  my $child = fork();
  fail_call('fork') unless defined $child;
  if ($child == 0) {
    opendir(my $handle, $folder) or POSIX::_exit(1);
    POSIX::_exit(0);
  }
  for (1 .. 100) {
    return $? == 0 if waitpid($child, POSIX::WNOHANG()) == $child;
    select(undef, undef, undef, $_ < 20 ? 0.002 : 0.05);
  }
  kill 'KILL', $child;
  return 0;
}

# Returns the names in a folder, or undef when it cannot be read.
sub names {
  my ($folder) = @_;
  return undef if $asks{$folder} && !answers($folder);
  opendir(my $handle, $folder) or return undef;
  return [sort grep { $_ ne '.' && $_ ne '..' } readdir $handle];
}

# Names of the mounted volumes.
sub volumes {
  my $device = (stat '/Volumes')[0];
  my @mounted = grep { my @about = lstat "/Volumes/$_"; @about && $about[0] != $device } @{ names('/Volumes') || [] };
  return @mounted;
}

# Returns one letter for the type of what lstat found: folder, file, link or other.
sub type_of {
  my ($mode) = @_;
  my $format = $mode & 0170000;
  return $format == 0040000 ? 'd' : $format == 0100000 ? 'f' : $format == 0120000 ? 'l' : 'o';
}

# Returns label => pid of the jobs of the user's session; pid 0 when the job does not run.
sub launch_jobs {
  my %jobs;
  for (output_of('launchctl', 'list')) {
    my ($pid, $status, $label) = split /\t/, $_, 3;
    next unless defined $label && $label ne 'Label';
    $jobs{$label} = $pid =~ /\A[0-9]+\z/ ? $pid : 0;
  }
  return %jobs;
}

sub crontab_text { return join '', map { "$_\n" } output_of('crontab', '-l') }
