# Starts the script of a build.
use strict;
use warnings;
use Fcntl qw(O_CREAT O_EXCL O_NOCTTY O_NOFOLLOW O_WRONLY);
use POSIX ();

# Gives the script a login environment without letting its `-e` act on profile files. Entries of the present PATH that a
# profile has dropped are appended. For sh, bash and zsh.
our $login = <<'SHELL';
had=$1
shift
while [ -n "$had" ]; do
  entry=${had%%:*}
  case "$had" in *:*) had=${had#*:} ;; *) had= ;; esac
  case ":${PATH}:" in *":${entry}:"*) ;; *) PATH="${PATH}:${entry}" ;; esac
done
unset had entry
export PATH
exec "$@"
SHELL

# Sets the build's variables, which are carried here under names that mean nothing to the programs before, and executes the
# script. -p keeps this shell from reading BASH_ENV and functions from the environment.
our @reveal = ('/bin/bash', '-p', '-c', <<'SHELL', 'cidermill');
{
  for carried in ${!CIDERMILL_V_@}; do
    export "${carried#CIDERMILL_V_}=${!carried}"
    unset "$carried"
  done
  unset carried
} 2>/dev/null
exec "$@"
SHELL

# Writes the script file, for its owner alone.
sub write_script {
  my ($name, $text) = @_;
  unlink $name;
  write_own($name, $text, 0700);
  chmod 0700, $name;
}

# Writes the secrets that are files. Returns the variables with their paths.
sub write_secrets {
  my ($folder, @files) = @_;
  return () unless @files;
  mkdir $folder, 0700 or fail_call($folder);
  write_own("$folder/$_->{name}", $_->{content}, 0600) for @files;
  return map { "$_->{name}=$folder/$_->{name}" } @files;
}

sub remove_secrets {
  my ($folder) = @_;
  opendir my $open, $folder or return;
  unlink "$folder/$_" for grep { $_ ne '.' && $_ ne '..' } readdir $open;
  rmdir $folder;
}

sub write_own {
  my ($name, $text, $mode) = @_;
  sysopen(my $file, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, $mode) or fail_call($name);
  binmode $file;
  my $written = print {$file} $text;
  unless (close($file) && $written) {
    my ($code, $why) = (error_name(), "$!");
    unlink $name;
    fail($code, "$name: $why");
  }
}

# Returns the user's shell, if it runs the code above.
sub login_shell {
  my ($wanted) = @_;
  my $shell = $wanted ne '' ? $wanted : (getpwuid $<)[8] || '';
  return $shell if $shell =~ m{/(?:ba|z|k|da)?sh\z} && -x $shell;
  return -x '/bin/zsh' ? '/bin/zsh' : '/bin/bash';
}

# Replaces the environment: what a login of the user has, then the service's, and the build's under names that mean nothing.
sub set_environment {
  my ($service, $variables) = @_;
  my ($user, $home, $shell) = (getpwuid $<)[0, 7, 8];
  my %login = (
    HOME => $home, USER => $user, LOGNAME => $user, SHELL => $shell,
    PATH => '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LANG => $^O eq 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8',
  );
  for (qw(HOME USER LOGNAME SHELL PATH LANG TMPDIR __CF_USER_TEXT_ENCODING)) {
    $login{$_} = $ENV{$_} if defined $ENV{$_} && $ENV{$_} ne '';
  }
  %ENV = (%login, TERM => 'xterm-256color');
  for (@$service, map { "CIDERMILL_V_$_" } @$variables) { $ENV{$1} = $2 if /\A([^=]+)=(.*)\z/s }
}

# Starts the script in a session of its own without a terminal: its output goes to the terminal write-only, so a program
# that prompts gets an error or end of input. Returns its process id, or () with the name and text of the error.
sub launch {
  my (%start) = @_;
  pipe(my $report, my $child_report) or return (0, error_name(), "pipe: $!");
  my $child = fork;
  return (0, error_name(), "fork: $!") unless defined $child;
  if ($child == 0) {
    POSIX::setsid();
    $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE CHLD);
    set_environment($start{service}, $start{variables});
    my @run = $start{script} =~ /\A#!/ ? ($start{file}) : ('/bin/bash', '-eo', 'pipefail', $start{file});
    my $shell = login_shell($start{shell});
    my $problem = sub { syswrite $child_report, error_name() . "\0$_[0]: $!"; POSIX::_exit(127) };
    chdir $start{cwd} or $problem->($start{cwd});
    sysopen(my $output, $start{terminal}, O_WRONLY | O_NOCTTY) or $problem->($start{terminal});
    POSIX::dup2(fileno $output, $_) for 1, 2;
    exec { $shell } $shell, '-l', '-c', $login, 'cidermill', $ENV{PATH}, @reveal, @run or $problem->($shell);
  }
  close $child_report;
  my $problem = '';
  while (1) {
    my $got = sysread($report, $problem, 4096, length $problem);
    next if !defined $got && $!{EINTR};
    last unless $got;
  }
  return ($child) if $problem eq '';
  waitpid($child, 0);
  return (0, split(/\0/, $problem, 2));
}
1;
