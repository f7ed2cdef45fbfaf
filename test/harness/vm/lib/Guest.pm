package Guest;
# Starts and ends a guest: processes in a mount and a PID namespace of their own, with the VM's disk as their root.
use strict;
use warnings;
use Home;

my $lifeline;

# Boots the guest of a VM. It ends with this process, however this process ends: it holds the other end of a pipe.
sub boot {
    my ($folder, $mac) = @_;
    (my $here = __FILE__) =~ s{/lib/[^/]+$}{};
    my $boot_ms = Home::fault('boot-ms') || 0;
    pipe my $its_end, $lifeline or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    close $lifeline;
    open STDIN, '<&', $its_end;
    open STDOUT, '>>', "$folder/guest.log";
    open STDERR, '>&', \*STDOUT;
    # 256 open files, as launchd gives.
    exec '/bin/sh', '-c', 'ulimit -S -n 256; exec "$@"', 'sh', 'unshare', '--mount', '--pid', '--ipc', '--uts', '--fork',
        'perl', "-I$here/lib", "$here/guest/init", $folder, "$here/guest", $Home::own, $mac, $boot_ms
        or kill 'KILL', $$;
}

# All processes of the guest are gone when this returns.
sub kill_guest {
    my ($pid) = @_;
    close $lifeline;
    waitpid $pid, 0;
}

1;
