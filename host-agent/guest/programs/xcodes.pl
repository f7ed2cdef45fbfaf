# Lists the applications of a folder, and of the folders in it, that contain developer tools. Input: `folder`. Output: an
# `app` frame for each, with its path, its developer folder without links, Info.plist and version.plist as XML.
use strict;
use warnings;

use Cwd ();

my $most_apps = 100;
my $plist_bytes = 480 * 1024;

sub names {
  my ($folder) = @_;
  opendir(my $handle, $folder) or return ();
  return sort grep { !/\A\./ } readdir $handle;
}

# Returns a property list as XML; empty when there is none, or it cannot be read.
sub plist {
  my ($file) = @_;
  open(my $handle, '<:raw', $file) or return '';
  my $got = read($handle, my $bytes, $plist_bytes + 1);
  return '' if !$got || $got > $plist_bytes;
  return $bytes unless $bytes =~ /\Abplist/;
  open(my $converted, '-|', '/usr/bin/plutil', '-convert', 'xml1', '-o', '-', $file) or return '';
  binmode $converted;
  $got = read($converted, my $xml, $plist_bytes + 1);
  return $got && $got <= $plist_bytes ? $xml : '';
}

my $folder = receive_only('folder');
my $apps = 0;

sub report {
  my ($app) = @_;
  return unless -d "$app/Contents/Developer" && $apps++ < $most_apps;
  my $developer = Cwd::realpath("$app/Contents/Developer");
  my @fields = ($app, $developer, plist("$app/Contents/Info.plist"), plist("$app/Contents/version.plist"));
  s/\0//g for @fields;
  send_frame('app', join '', map { "$_\0" } @fields);
}

for my $name (names($folder)) {
  my $path = "$folder/$name";
  if ($name =~ /\.app\z/) { report($path) }
  elsif (-d $path && !-l $path) { report("$path/$_") for grep { /\.app\z/ } names($path) }
}
finish();
