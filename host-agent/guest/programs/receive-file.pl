# Receives a file into a new private folder. Input: `size`, `part` frames, `end`. Output: `done` with the path. The file
# is deleted when the host goes away.
use strict;
use warnings;
use File::Path ();
use File::Temp ();

my $size = receive_only('size');
# A call that was killed has left its file.
File::Path::remove_tree($_) for glob '/private/tmp/cidermill-file-*';
my $folder = File::Temp->newdir('cidermill-file-XXXXXXXX', DIR => '/private/tmp', CLEANUP => 1);
my $path = "$folder/file.dmg";
open(my $file, '>:raw', $path) or fail_call($path);
my $received = 0;
while (1) {
  my ($type, $bytes) = receive_frame();
  last if $type eq 'end';
  for (my $at = 0; $at < length $bytes;) {
    my $written = syswrite($file, $bytes, length($bytes) - $at, $at);
    next if !defined $written && $!{EINTR};
    unless (defined $written) {
      my ($name, $text) = (error_name(), "$!");
      unlink $path;
      fail($name, "the file cannot be written: $text");
    }
    $at += $written;
  }
  $received += length $bytes;
}
close($file) or fail_call($path);
fail('incomplete', "$received of $size bytes arrived") unless $received == $size;
$folder->unlink_on_destroy(0);
finish($path);
