# What the stand-ins of macOS's tools share: they record every call in ROOT/state/calls, fail on command, and keep their state
# in ROOT/state. ROOT is the folder with the links to them: ROOT/bin/launchctl, ROOT/usr/bin/dscl, …
package StandIn;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(begin fail state_file read_state write_state root);

# Not FindBin, which takes longer to load than everything else together: stand-ins are called by absolute paths.
my ($root) = $0 =~ m{^(.*?)/(?:usr/)?(?:bin|sbin|libexec)/[^/]+$};
my ($tool) = $0 =~ m{([^/]+)$};

sub root { return $root }
sub state_file { return "$root/state/$_[0]" }
sub read_state {
    open my $file, '<', state_file($_[0]) or return undef;
    local $/;
    return scalar <$file>;
}
sub write_state {
    my ($name, $content) = @_;
    my $file = state_file($name);
    open my $out, '>', "$file.$$" or die "$file: $!\n";
    print {$out} $content;
    close $out;
    # Readable for other users, whatever the umask: launchd answers them too.
    chmod 0644, "$file.$$";
    rename "$file.$$", $file or die "$file: $!\n";
}
sub quoted {
    my ($text) = @_;
    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
    return qq("$text");
}

# Records the call; then fails if a test asked for it: state/fault-TOOL or state/fault-TOOL-FIRSTARGUMENT holds the exit code,
# the number of times (empty: always), and what is printed on standard output and standard error.
sub begin {
    my @call = ($tool, @ARGV);
    open my $log, '>>', state_file('calls') or die "calls: $!\n";
    syswrite $log, '[' . join(',', map { quoted($_) } @call) . "]\n";
    for my $name ("fault-$tool", "fault-$tool-" . ($ARGV[0] // '')) {
        next if $name =~ m{/};
        my $fault = read_state($name) // next;
        my ($code, $times, $out, $err) = split /\x00/, $fault, -1;
        if ($times ne '') {
            if ($times <= 1) { unlink state_file($name) }
            else { write_state($name, join "\x00", $code, $times - 1, $out, $err) }
        }
        print STDOUT $out;
        print STDERR $err;
        exit $code;
    }
}
sub fail {
    my ($code, $message) = @_;
    print STDERR "$message\n";
    exit $code;
}
1;
