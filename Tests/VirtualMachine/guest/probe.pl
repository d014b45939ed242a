#!/usr/bin/perl
# Writes down how it was started and which signals it is sent, in a file of its name in a directory: as tests/units.py reads it.
#
# probe.pl DIRECTORY NAME WAY ARGUMENT...: a WAY of `wait` runs until a signal comes, `exit:N` exits with N, and `kill:N` kills itself by
# the signal N; `exit:N:T` and `kill:N:T` do that T times, and wait then. Perl starts several times as fast as Python in this machine.
use strict;
use warnings;

my ($directory, $name, $way) = @ARGV;
my $path = "$directory/$name";

sub text { open(my $file, '<', $_[0]) or return ''; local $/; my $text = <$file>; return $text // '' }

# One line, appended at once: a fact and its value, with what is no plain character escaped.
sub note {
    my ($fact, $value) = @_;
    $value =~ s/([^ -~]|\\)/sprintf '\\x%02x', ord $1/ge;
    open(my $file, '>>', $path) or die "$path: $!";
    syswrite $file, "$fact $value\n";
}

for my $signal (qw(TERM INT HUP QUIT USR1)) {
    $SIG{$signal} = sub { note('signal', $signal); exit 0 };
}
my $command = text('/proc/self/cmdline');
my $environment = join "\0", sort grep { !/^_=/ } split /\0/, text('/proc/self/environ');
my ($umask, $ids) = ('', '');
for (split /\n/, text('/proc/self/status')) {
    $umask = $1 if /^Umask:\s*(\S+)/;
    $ids .= "$_;" if /^(Uid|Gid|Groups|CapEff|NoNewPrivs):/;
}
note('environment', $environment);
note('directory', readlink '/proc/self/cwd');
note('umask', $umask);
note('user', $ids);
note('nice', getpriority(0, 0));
note('limits', text('/proc/self/limits'));
note('start', $command);
my ($kind, $number, $times) = split /:/, $way;
my $starts = () = text($path) =~ /^start /mg;
if ($kind ne 'wait' and (!defined $times or $starts <= $times)) {
    exit $number if $kind eq 'exit';
    $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP QUIT USR1);
    kill $number, $$;
}
note('waiting', '');
sleep while 1;
