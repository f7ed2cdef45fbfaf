package LumeImages;
# `lume pull` and `clone`: an image is a machine like every other.
use strict;
use warnings;
use Time::HiRes qw(sleep);
use Home;
use LumeVms;

my @parts = qw(config.json nvram.bin disk.img .used-bytes guest);

sub no_room { LumeVms::fail($_[0], 'You can’t save the file “disk.img” because the volume “Macintosh HD” is out of space.') }

sub progress {
    my ($percent) = @_;
    my $done = int($percent * 30 / 100);
    print "\r[" . '█' x $done . '░' x (30 - $done) . "] $percent% | Current: 88.1 MB/s | Avg: 80.0 MB/s | Peak: 95.5 MB/s | ETA: 10s     ";
}

sub pull {
    my ($options, $image, $name) = @_;
    my $what = 'Failed to pull image';
    my ($repository, $tag, $more) = split /:/, $image;
    main::invalid('Invalid image format. Expected format: name:tag', 'pull') if !defined $tag || defined $more;
    $name //= "${repository}_$tag";
    my $folder = LumeVms::storage_folder($options->{storage});
    system 'mkdir', '-p', $folder;
    LumeVms::fail($what, "alreadyExists(\"$name\")") if -e "$folder/$name" && !$options->{force};
    my $whole = join '/', $options->{registry} // 'ghcr.io', $options->{organization} // 'trycua', $repository;
    $whole =~ s/:/%3A/g;
    my $digest = Home::slurp("$Home::own/registry/tags/$whole/$tag");
    LumeVms::fail($what, 'manifestFetchFailed') if !defined $digest || defined Home::fault('unauthorized');
    my $temporary = ($ENV{TMPDIR} // '/tmp') . '/lume_vm_' . uc join '-', map { unpack 'H*', pack 'n', int rand 65536 } 1 .. 5;
    mkdir $temporary or LumeVms::fail($what, "$temporary: $!");
    my ($breaks, $slow) = (Home::fault('pull-breaks'), Home::fault('pull-ms') || 0);
    for (my $percent = 0; $percent <= 100; $percent += 5) {
        progress($percent);
        if (defined $breaks && $percent >= $breaks) {
            system 'rm', '-rf', '--', $temporary;
            LumeVms::fail($what, 'The network connection was lost.');
        }
        if ($percent >= 50 && defined Home::fault('pull-disk-full')) { system 'rm', '-rf', '--', $temporary; no_room($what) }
        sleep $slow / 20_000 if $slow;
    }
    Home::copy_trees("$temporary/", map { "$Home::own/registry/images/$digest/$_" } @parts);
    system('mv', '--', $temporary, "$folder/$name") == 0 or LumeVms::fail($what, 'mv');
    Home::spew("$folder/$name/.manifest-digest", $digest);
    Home::change_setting("$folder/$name", 'macAddress', Home::random_mac());
    print "\n";
    return 0;
}

# What a clone that fails has copied stays where it is.
sub clone {
    my ($options, $source, $name) = @_;
    my $what = 'Failed to clone VM';
    my $from = LumeVms::existing($what, $options->{'source-storage'}, $source);
    my $to = LumeVms::storage_folder($options->{'dest-storage'});
    LumeVms::fail($what, "fileCreationFailed(\"$to/.$name.resize.guard\")") unless -d $to;
    Home::spew("$to/.$name.resize.guard", '');
    LumeVms::fail($what, "alreadyRunning(\"$source\")") if LumeVms::says_running($from);
    LumeVms::fail($what, "directoryAlreadyExists(path: \"$to/$name\")") if -e "$to/$name";
    mkdir "$to/$name" or LumeVms::fail($what, "directoryCreationFailed(path: \"$to/$name\")");
    for my $part ('.manifest-digest', reverse @parts) {
        Home::copy_trees("$to/$name/", "$from/$part") if -e "$from/$part";
        next unless $part eq 'disk.img';
        my $slow = Home::fault('clone-ms');
        sleep $slow / 1000 if $slow;
        no_room($what) if defined Home::fault('clone-disk-full');
        LumeVms::fail($what, "directoryCreationFailed(path: \"$to/$name\")") if defined Home::fault('clone-fails');
    }
    Home::change_setting("$to/$name", 'macAddress', Home::random_mac());
    unlink "$to/$name/sessions.json", "$to/$name/guest/private/var/run/boottime";
    return 0;
}

1;
