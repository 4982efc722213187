# noise.pl NAME LIMIT: prints lines, all different, until there is a file `stop` or LIMIT bytes are out, and then their MD5.
use strict;
use warnings;
use Digest::MD5;

my ($name, $limit) = @ARGV;
my $digest = Digest::MD5->new;
my ($n, $bytes) = (0, 0);

$| = 1;
until (-e 'stop') {
        select undef, undef, undef, 0.05;
        next if $bytes > $limit;
        my $line = join('', map { sprintf "%s %d %08x\n", $name, $n++, rand 2**32 } 1 .. 20);
        print $line;
        $digest->add($line);
        $bytes += length $line;
}
print $digest->hexdigest, "\n";
