package Processes;
# The processes of this guest, for killall, pgrep and pkill.
use strict;
use warnings;

sub slurp { open my $file, '<', $_[0] or return ''; local $/; return <$file> // '' }

sub all {
    opendir my $folder, '/.proc' or return ();
    return map {
        my ($name, $ppid) = slurp("/.proc/$_/stat") =~ /^\d+ \((.*)\) \S (\d+)/s;
        my ($uid) = slurp("/.proc/$_/status") =~ /^Uid:\s+(\d+)/m;
        (my $command = slurp("/.proc/$_/cmdline")) =~ s/\0+$//;
        my ($file) = split /\0/, $command;
        $command =~ tr/\0/ /;
        ($file) = split / /, $file if defined $file && $file !~ m{^/.* /};
        defined $name && $_ != $$ ? { pid => $_, ppid => $ppid, uid => $uid, name => (split m{/}, $file // $name)[-1] // $name, command => $command } : ();
    } sort { $a <=> $b } grep { /^\d+$/ } readdir $folder;
}

1;
