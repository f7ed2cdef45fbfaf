# Sends what is in a folder: first the list, then the files that the host wants.
# In: `collect` (folder, maximum number of entries, maximum depth). Out: `root` (absent, replaced, or the folder without
# links), `entries`, `listed`. In: `want` (numbers of entries), `send`. Out: `files`, `file` with `data`, `missing`; done.
use strict;
use warnings;
use Cwd ();
use Fcntl qw(O_NOFOLLOW O_NONBLOCK O_RDONLY);
use Time::HiRes ();

my $batch_bytes = 262144;

my ($from, $most, $deepest) = fields(receive_only('collect'));
my (@paths, @sizes);
send_list();
my @wanted;
while (1) {
  my ($type, $payload) = receive_frame();
  last if $type eq 'send';
  fail('bad_input', "unexpected $type") unless $type eq 'want';
  push @wanted, unpack 'N*', $payload;
}
send_files();
finish();

# Records: type, mode, size, modification time, lengths of path and target; path; target.
sub send_list {
  if (!exists_at($from)) { send_frame('root', 'absent'); send_frame('listed'); return }
  if (!is_folder($from)) { send_frame('root', 'replaced'); send_frame('listed'); return }
  send_frame('root', 'real ' . Cwd::realpath($from));
  my ($batch, $cut, @waiting) = ('', '', ['', 0]);
  FOLDER: while (my $next = pop @waiting) {
    my ($below, $depth) = @$next;
    for my $name (sort { $a cmp $b } names_of("$from/$below")) {
      if (@paths >= $most) { $cut = 'cut'; last FOLDER }
      my $path = "$below$name";
      my @found = Time::HiRes::lstat("$from/$path") or next;
      my $type = type_of($found[2]);
      my $target = $type eq 'l' ? readlink "$from/$path" : '';
      $type = 'o' if !defined $target || ($type eq 'd' && $depth >= $deepest) || length $path > 60000;
      push @paths, $path;
      push @sizes, $found[7];
      push @waiting, ["$path/", $depth + 1] if $type eq 'd';
      $path = substr $path, 0, 60000;
      $target = '' unless defined $target;
      my @head = ($type, $found[2] & 07777, @found[7, 9], length $path, length $target);
      $batch .= pack('anQ<d<nn', @head) . $path . $target;
      if (length $batch >= $batch_bytes) { send_frame('entries', $batch); $batch = '' }
    }
  }
  send_frame('entries', $batch) if $batch ne '';
  send_frame('listed', $cut);
}

sub type_of {
  my $type = $_[0] & 0170000;
  return $type == 0100000 ? 'f' : $type == 0040000 ? 'd' : $type == 0120000 ? 'l' : 'o';
}

# Returns the names in a folder, also when the build has taken away its permissions or its owner.
sub names_of {
  my ($folder) = @_;
  $folder =~ s{/\z}{};
  my $handle;
  unless (opendir $handle, $folder) {
    take_back($folder);
    opendir $handle, $folder or fail_call($folder);
  }
  return grep { $_ ne '.' && $_ ne '..' } readdir $handle;
}

sub take_back {
  my ($path) = @_;
  return if chmod 0700, $path;
  quietly('sudo', '-n', 'chown', '-h', $<, $path);
  chmod 0700, $path;
}

# Returns the open file, or nothing when it is no longer a file.
sub open_file {
  my ($path) = @_;
  my $open = sub { sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return; return $file };
  my $file = $open->();
  if (!$file && ($!{EACCES} || $!{EPERM}) && lstat($path) && -f _) { take_back($path); $file = $open->() }
  return $file && -f $file ? $file : undef;
}

# Small files together: number, size; content.
sub send_files {
  my $batch = '';
  for my $row (@wanted) {
    my $file = defined $paths[$row] ? open_file("$from/$paths[$row]") : undef;
    if (!$file) { send_frame('missing', pack 'N', $row); next }
    # A process that the build has left may still write.
    my $size = -s $file;
    $size = $sizes[$row] if $size > $sizes[$row];
    if ($size > $batch_bytes) {
      send_frame('files', $batch) if $batch ne '';
      $batch = '';
      send_large($row, $file, $size);
      next;
    }
    my $content = '';
    while (length $content < $size) { sysread $file, $content, $size - length $content, length $content or last }
    $batch .= pack('NN', $row, length $content) . $content;
    if (length $batch >= $batch_bytes) { send_frame('files', $batch); $batch = '' }
  }
  send_frame('files', $batch) if $batch ne '';
}

sub send_large {
  my ($row, $file, $size) = @_;
  send_frame('file', pack 'NQ<', $row, $size);
  while ($size > 0) {
    my $got = sysread $file, my $bytes, $size < 524288 ? $size : 524288;
    next if !defined $got && $!{EINTR};
    fail('changed', "$paths[$row] became shorter while it was read") unless $got;
    send_frame('data', $bytes);
    $size -= $got;
  }
}
