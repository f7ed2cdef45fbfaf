# Folders in which builds have worked: they may be removed, moved, linked, locked, or owned by another user.
# Nothing is done through a link.
use strict;
use warnings;

# Runs a command without output; returns whether it succeeded.
sub quietly {
  my @command = @_;
  my $child = fork;
  return 0 unless defined $child;
  if ($child == 0) {
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    exec { $command[0] } @command or exit 127;
  }
  waitpid($child, 0);
  return $? == 0;
}

sub exists_at { return defined((lstat $_[0])[0]) }

# Returns whether there is a real folder.
sub is_folder { return lstat($_[0]) && -d _ }

# Removes flags and access control lists, and restores the owner's permissions, below a folder too. Links are not followed.
sub unlock {
  my ($path, @as) = @_;
  quietly(@as, 'chflags', '-R', '-P', 'nouchg,nouappnd,noschg,nosappnd', $path);
  quietly(@as, 'chmod', '-R', '-N', $path);
  quietly(@as, 'chmod', '-R', 'u+rwx', $path);
}

# Deletes what is at the path, of any type. Builds can use sudo, so the service does too when nothing else helps.
sub remove_path {
  my ($path) = @_;
  return if !exists_at($path);
  return if !is_folder($path) && unlink $path;
  return if quietly('rm', '-rf', $path) && !exists_at($path);
  unlock($path);
  return if quietly('rm', '-rf', $path) && !exists_at($path);
  my @root = ('sudo', '-n');
  unlock($path, @root);
  quietly(@root, 'rm', '-rf', $path);
  return if !exists_at($path);
  $! = Errno::EACCES();
  fail_call("$path cannot be deleted");
}

# Returns whether files can be created in the folder.
sub is_usable {
  my ($folder) = @_;
  my $mode = (lstat $folder)[2] & 07777;
  chmod $mode | 0700, $folder if ($mode & 0700) != 0700;
  my $probe = "$folder/.cidermill-probe-$$";
  my $usable = mkdir $probe, 0700;
  rmdir $probe if $usable;
  return $usable;
}

# Makes it a real folder in which files can be created. What a real folder contains stays if that is possible.
sub make_usable {
  my ($folder) = @_;
  if (is_folder($folder)) {
    return if is_usable($folder);
    fail_call($folder) if $!{ENOSPC} || $!{EDQUOT};
    for my $as ([], ['sudo', '-n']) {
      quietly(@$as, 'chflags', '-h', 'nouchg,nouappnd,noschg,nosappnd', $folder);
      quietly(@$as, 'chmod', '-N', $folder);
      quietly(@$as, 'chown', '-h', $<, $folder) if @$as;
      return if is_usable($folder);
    }
  }
  remove_path($folder);
  mkdir $folder, 0700 or fail_call($folder);
}

sub names_in {
  my ($folder) = @_;
  opendir(my $handle, $folder) or return ();
  return grep { $_ ne '.' && $_ ne '..' } readdir $handle;
}
1;
