# Describes the home folder of a guest that nobody has used yet. Input: `limits` (most files, most bytes of contents).
# Output: `home`, `labels`, `crontab`, `volumes`, `place`, then `entries` (fields: `TYPE MODE SIZE MTIME PATH`, and after a link its
# target), then `content` (path, NUL, bytes) of small files.
use strict;
use warnings;
use POSIX ();

my ($most_files, $most_bytes) = fields(receive_only('limits'));
enter_home();

sub send_fields { send_frame(shift, join '', map { "$_\0" } @_) }

my %jobs = launch_jobs();
send_fields('home', 1, home());
send_fields('labels', sort keys %jobs);
send_frame('crontab', crontab_text());
send_fields('volumes', volumes());
send_fields('place', $_, @{ names($_) || [] }) for shared_places();

my $small = 256 * 1024;
my ($files, $batch, %small_files) = (0, '');

sub entry {
  my ($type, $mode, $size, $mtime, $path, @target) = @_;
  fail('too_many_files', "the home folder has more than $most_files files") if ++$files > $most_files;
  $batch .= join '', map { "$_\0" } sprintf('%s %o %d %d %s', $type, $mode & 07777, $size, $mtime, $path), @target;
  return if length $batch < 512 * 1024;
  send_frame('entries', $batch);
  $batch = '';
}

my @folders = ('');
while (@folders) {
  my $folder = pop @folders;
  my $depth = () = $folder =~ m{/}g;
  for my $name (@{ names($folder eq '' ? '.' : $folder) || [] }) {
    my $path = $folder eq '' ? $name : "$folder/$name";
    my ($mode, $size, $mtime) = (lstat $path)[2, 7, 9];
    next unless defined $mode;
    my $type = type_of($mode);
    next if $type eq 'd' && (is_cache($path) || is_simulator_data($path));
    # The system's privacy protection does not let everything be listed.
    $type = 'x' if $type eq 'd' && !defined names($path);
    entry($type, $mode, $size, $mtime, $path, $type eq 'l' ? readlink $path : ());
    push @folders, $path if $type eq 'd';
    push @{ $small_files{$depth} }, $path if $type eq 'f' && $size <= $small;
  }
}
send_frame('entries', $batch) if length $batch;

# Settings and credentials are near the top, large tools deep below it.
SHALLOW: for my $depth (sort { $a <=> $b } keys %small_files) {
  for my $path (sort @{ $small_files{$depth} }) {
    open(my $file, '<:raw', $path) or next;
    my $got = read($file, my $bytes, $small + 1);
    next unless defined $got && $got <= $small;
    $most_bytes -= $got;
    last SHALLOW if $most_bytes < 0;
    send_frame('content', "$path\0$bytes");
  }
}
finish();
