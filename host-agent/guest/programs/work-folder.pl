# Changes in a work folder: paths are relative to it, '' is the folder itself. Each part of a path is checked, so that a link
# which a build has planted is never followed; it is replaced by a folder.
use strict;
use warnings;

my ($work, %real);

sub open_work_folder { ($work) = @_ }

sub parent_of {
  my ($path) = @_;
  my $slash = rindex $path, '/';
  return $slash < 0 ? '' : substr $path, 0, $slash;
}

# Returns the absolute path.
sub full { return $_[0] eq '' ? $work : "$work/$_[0]" }

# Returns whether every part of the path is a real folder.
sub is_real {
  my ($folder) = @_;
  return 1 if $real{$folder};
  return 0 unless ($folder eq '' || is_real(parent_of($folder))) && is_folder(full($folder));
  my ($mode, $owner) = (lstat _)[2, 4];
  take_back($folder) if ($mode & 0700) != 0700 || $owner != $<;
  return $real{$folder} = 1;
}

# Creates the folder with its parents; anything else in their place is deleted.
sub make_folder {
  my ($folder) = @_;
  return if is_real($folder);
  make_folder(parent_of($folder)) unless $folder eq '';
  insist($folder, sub { mkdir full($folder), 0755 });
  $real{$folder} = 1;
}

# Makes a call that adds `$path` to a folder: removes what is in its place, and takes the folder back if a build has locked
# it or given it away.
sub insist {
  my ($path, $call) = @_;
  for my $attempt (1 .. 3) {
    return 1 if $call->();
    if ($!{EEXIST}) { remove_path(full($path)); delete $real{$path} }
    elsif ($!{EACCES} || $!{EPERM}) { take_back(parent_of($path)) }
    else { last }
  }
  fail_call($path);
}

sub take_back {
  my $path = full($_[0]);
  my @found = lstat $path or return;
  quietly('sudo', '-n', 'chflags', '-h', 'nouchg,nouappnd,noschg,nosappnd', $path);
  quietly('sudo', '-n', 'chmod', '-N', $path);
  quietly('sudo', '-n', 'chown', '-h', $<, $path);
  chmod 0700 | $found[2] & 07777, $path;
}

# A folder is deleted only when it is empty: builds may have put something there.
sub remove_one {
  my ($path) = @_;
  return unless is_real(parent_of($path));
  my $full = full($path);
  if (is_folder($full)) { delete $real{$path} if rmdir $full }
  elsif (exists_at($full)) { remove_path($full) }
}
1;
