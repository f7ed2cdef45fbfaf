package LumeRun;
# `lume run` and `stop`: a machine while it runs.
use strict;
use warnings;
use Errno ();
use POSIX qw(WNOHANG);
use Time::HiRes qw(time sleep);
use Home;
use LumeVms;

my $limit = 2;

sub run {
    my ($options, $name) = @_;
    my $folder = LumeVms::existing('Failed to run VM', $options->{storage}, $name);
    main::invalid("The value '$options->{display}' is invalid for '--display <display>'", 'run') if ($options->{display} // 'native') !~ /^(vnc|native|none)$/;
    die "the stand-in has no window\n" unless $options->{'no-display'} || ($options->{display} // 'native') eq 'none';
    # No VNC server is started; a file records that lume would have started one.
    Home::spew("$Home::own/vnc-server", $name) unless ($options->{vnc} // 'enabled') eq 'disabled';
    my $lock = LumeVms::take_lock($folder);
    if (!$lock) {
        # lume replaces the locked file by a copy, and then has the lock: two machines on one disk.
        LumeVms::note(error => 'VM already running (failed to acquire lock)');
        my $config = Home::slurp("$folder/config.json");
        unlink "$folder/config.json";
        Home::spew("$folder/config.json", $config);
        $lock = LumeVms::take_lock($folder) or LumeVms::fail('Failed in VM.run', "alreadyRunning(\"$name\")");
        Home::spew("$Home::own/ran-twice", $name);
    }
    # Before the machine starts.
    Home::spew("$folder/sessions.json", "{\n  \"vncEnabled\" : false,\n  \"pid\" : $$\n}");
    my @others = grep { kill 0, Home::slurp($_) } Home::entries("$Home::own/running");
    if (@others + (Home::fault('leaked-slots') || 0) >= $limit) {
        unlink "$folder/sessions.json";
        LumeVms::fail('Failed in VM.run', 'The number of virtual machines exceeds the limit. The maximum supported number of active virtual machines has been reached.');
    }
    if (defined Home::fault('keychain-locked')) {
        unlink "$folder/sessions.json";
        LumeVms::fail('Failed in VM.run', 'Internal Virtualization error. The virtual machine failed to start.');
    }
    Home::spew("$Home::own/running/$$-$name", $$);
    watch($folder);
    unlink "$folder/sessions.json", "$Home::own/running/$$-$name";
    return 0;
}

# The process stays as long as the machine runs. It handles no signal: one ends it, and the machine with it.
sub watch {
    my ($folder) = @_;
    require Guest;
    unlink "$folder/guest/private/var/run/boottime";
    my $guest = Guest::boot($folder, Home::setting($folder, 'macAddress'));
    my $ignored = defined Home::fault('stop-ignored');
    $SIG{INT} = $ignored ? 'IGNORE' : sub { Guest::kill_guest($guest); $SIG{INT} = 'DEFAULT'; kill 'INT', $$ };
    until (waitpid($guest, WNOHANG) == $guest) {
        if (Home::abandoned($folder)) { Guest::kill_guest($guest); last }
        sleep 0.5;
    }
    LumeVms::note(info => 'VM lifecycle ended');
}

sub stop {
    my ($options, $name) = @_;
    my $folder = LumeVms::existing('Failed to stop VM', $options->{storage}, $name);
    my ($pid) = (Home::slurp("$folder/sessions.json") // '') =~ /"pid" : (\d+)/;
    LumeVms::fail('Failed to stop VM', "notRunning(\"$name\")") unless LumeVms::says_running($folder);
    kill 'INT', $pid;
    for (1 .. 10) { sleep 1; return 0 unless kill 0, $pid }
    kill 'KILL', $pid;
    return 0;
}

1;
