# Makes a work folder equal to the sources that the host has, except for what only builds have made. The index has the path
# and the stamp of everything that was delivered, sorted by path; the host has the same paths in the same order. The journal
# has the paths that an interrupted delivery may have added.
# In: `deliver` (work folder, state folder, 1 to start from an empty folder, identifiers of the indexes that the host knows).
# Out: `state` (identifier of the index, or nothing: the folder is empty now), `changed` (numbers of the paths that are not
# as they were delivered), `checked`. In: `remove`, `folders`, `files`, `file` with `data`, `links`, `exact`; then `commit`
# (identifier of the new index), or `finish` when nothing has changed.
use strict;
use warnings;
use Fcntl qw(O_CREAT O_EXCL O_NOFOLLOW O_WRONLY);
use Time::HiRes ();

# Of a folder, only its type counts.
my $folder_stamp = "\0" x 36;
my $magic = 'CMDELIV1';

my ($to, $state, $clean, @known) = fields(receive_only('deliver'));
my ($index, $journal) = ("$state/delivered", "$state/delivering");
my ($id, @paths, @stamps) = ('');
my (%stamp, $journal_handle);
# When the last file was written, and whether times have fractions here.
my ($written, $fractions) = (0, 0);
# Not every Perl of macOS can set fractions.
my $fine_times = 1;
umask 0;
open_work_folder($to);

if ($clean eq '1' || !is_folder($to) || !read_index() || !grep { $_ eq $id } @known) { start_over() }
remove_journaled();
send_frame('state', $id);
send_changed();
send_frame('checked');
while (1) {
  my ($type, $payload) = receive_frame();
  if ($type eq 'finish') { finish() }
  %stamp = map { $paths[$_] => $stamps[$_] } 0 .. $#paths unless %stamp;
  if ($type eq 'remove') { remove_old($_) for fields($payload) }
  elsif ($type eq 'folders') { put_folders(fields($payload)) }
  elsif ($type eq 'files') { put_files($payload) }
  elsif ($type eq 'file') { put_large(fields($payload)) }
  elsif ($type eq 'links') { put_links(fields($payload)) }
  elsif ($type eq 'exact') { remove_others($_) for fields($payload) }
  elsif ($type eq 'commit') { commit($payload) }
  else { fail('bad_input', "unexpected $type") }
}

sub stamp_of {
  my @found = @_;
  return pack 'ddQQN', @found[9, 10], @found[1, 7, 2];
}

# Returns false when the index is missing or damaged.
sub read_index {
  open my $file, '<:raw', $index or return 0;
  local $/;
  my $text = <$file>;
  return 0 unless defined $text && $text =~ /\A\Q$magic\E([0-9a-f]{32})/ && substr($text, -4) eq "\0end" && length $text >= 48;
  my $count = unpack 'N', substr $text, 40, 4;
  my @rows = unpack "x44(a36Z*)$count", $text;
  return 0 unless @rows == 2 * $count;
  $id = $1;
  for (my $at = 0; $at < @rows; $at += 2) { push @stamps, $rows[$at]; push @paths, $rows[$at + 1] }
  return 1;
}

sub start_over {
  unlink $index, $journal;
  ($id, @paths, @stamps) = ('');
  remove_path($to);
  mkdir $to, 0700 or fail_call($to);
}

sub remove_journaled {
  return unless open my $file, '<:raw', $journal;
  local $/;
  my $text = <$file>;
  close $file;
  if (defined $text && $id ne '') {
    my %kept = map { $_ => 1 } @paths;
    for my $path (reverse split /\0/, $text) { remove_one($path) unless $kept{$path} }
  }
  unlink $journal;
}

sub send_changed {
  my ($changed, %unreal) = ('');
  for my $row (0 .. $#paths) {
    my ($path, $is_same) = ($paths[$row]);
    my $slash = %unreal ? rindex($path, '/') : -1;
    my $below_unreal = $slash > 0 && $unreal{substr $path, 0, $slash};
    if ($stamps[$row] eq $folder_stamp) {
      my @found = lstat "$to/$path";
      $is_same = !$below_unreal && @found && -d _ && ($found[2] & 0700) == 0700;
      # What is below a link that a build has put in the folder's place was not delivered.
      $unreal{$path} = 1 unless $is_same;
    } else {
      my @found = $below_unreal ? () : Time::HiRes::lstat("$to/$path");
      $is_same = @found && stamp_of(@found) eq $stamps[$row];
    }
    next if $is_same;
    $changed .= pack 'N', $row;
    if (length $changed >= 65536) { send_frame('changed', $changed); $changed = '' }
  }
  send_frame('changed', $changed) if $changed ne '';
}

# To be called before anything is added.
sub note {
  my @new = grep { !exists $stamp{$_} } @_;
  return unless @new;
  if (!$journal_handle) { open $journal_handle, '>>:raw', $journal or fail_call($journal) }
  my $text = join '', map { "$_\0" } @new;
  (syswrite($journal_handle, $text) || 0) == length $text or fail_call($journal);
}

sub remove_old {
  my ($path) = @_;
  remove_one($path);
  delete $stamp{$path};
}

sub put_folders {
  my %mode = reverse @_;
  note(sort keys %mode);
  for my $folder (sort keys %mode) {
    make_folder($folder);
    my $mode = oct $mode{$folder};
    chmod $mode | 0700, full($folder) if ((lstat full($folder))[2] & 0777) != ($mode | 0700);
    $stamp{$folder} = $folder_stamp;
  }
}

# Creates a file that does not exist yet: no link is followed, and other names of an old file do not change.
sub create {
  my ($path, $mode) = @_;
  my ($full, $file) = (full($path));
  make_folder(parent_of($path));
  insist($path, sub { sysopen $file, $full, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, $mode });
  return $file;
}

sub write_to {
  my ($path, $file, $bytes) = @_;
  for (my $at = 0; $at < length $bytes;) {
    my $wrote = syswrite $file, $bytes, length($bytes) - $at, $at;
    next if !defined $wrote && $!{EINTR};
    fail_call($path) unless defined $wrote;
    $at += $wrote;
  }
}

sub set_time {
  my ($file, $mtime) = @_;
  if ($fine_times) {
    my $done = eval { Time::HiRes::utime($mtime, $mtime, $file) };
    return $done if $@ eq '';
    $fine_times = 0;
  }
  return utime int $mtime, int $mtime, $file;
}

sub complete {
  my ($path, $file, $mtime) = @_;
  set_time($file, $mtime) or fail_call($path);
  my @found = Time::HiRes::stat($file);
  $fractions ||= $found[10] != int $found[10];
  $stamp{$path} = stamp_of(@found);
  $written = Time::HiRes::time();
  close $file or fail_call($path);
}

# Records: mode, length of the path, size, modification time; path; content.
sub put_files {
  my ($payload) = @_;
  my ($at, @records) = (0);
  while ($at < length $payload) {
    my ($mode, $length, $size, $mtime) = unpack 'nnNd<', substr $payload, $at, 16;
    push @records, [substr($payload, $at + 16, $length), $mode, $mtime, $at + 16 + $length, $size];
    $at += 16 + $length + $size;
  }
  note(map { $_->[0] } @records);
  for (@records) {
    my ($path, $mode, $mtime, $from, $size) = @$_;
    my $file = create($path, $mode);
    write_to($path, $file, substr $payload, $from, $size) if $size > 0;
    complete($path, $file, $mtime);
  }
}

sub put_large {
  my ($path, $mode, $mtime, $size) = @_;
  note($path);
  my $file = create($path, oct $mode);
  while ($size > 0) {
    my $bytes = receive_only('data');
    write_to($path, $file, $bytes);
    $size -= length $bytes;
  }
  complete($path, $file, $mtime);
}

sub put_links {
  my %target = @_;
  note(sort keys %target);
  for my $path (sort keys %target) {
    make_folder(parent_of($path));
    insist($path, sub { symlink $target{$path}, full($path) });
    $stamp{$path} = stamp_of(Time::HiRes::lstat(full($path)));
  }
}

# Deletes what builds have added to a folder of git, where it would act on the next build: locks, hooks, branches,
# configuration. Their objects stay.
sub remove_others {
  my ($folder) = @_;
  return unless is_real($folder);
  my $has_objects = $folder =~ m{(?:\A|/)\.git/(?:modules/(?:[^/]+/)+)?objects\z};
  for my $name ($has_objects ? 'info' : names_in(full($folder))) {
    my $path = "$folder/$name";
    if (!exists $stamp{$path}) { remove_path(full($path)) }
    elsif ($stamp{$path} eq $folder_stamp) { remove_others($path) }
  }
}

sub commit {
  my ($next) = @_;
  my @sorted = sort keys %stamp;
  open my $file, '>:raw', "$index.new" or fail_call($index);
  my $text = join '', $magic, $next, pack('N', scalar @sorted), (map { "$stamp{$_}$_\0" } @sorted), "\0end";
  write_to($index, $file, $text);
  close $file or fail_call($index);
  rename "$index.new", $index or fail_call($index);
  unlink $journal;
  # A build that changes a file from now on leaves another time of change: file systems count in steps of up to 10 ms, or of
  # whole seconds.
  my $rest = $written + ($fractions ? 0.02 : 1.1) - Time::HiRes::time();
  select undef, undef, undef, $rest < 1.1 ? $rest : 1.1 if $rest > 0;
  finish();
}
