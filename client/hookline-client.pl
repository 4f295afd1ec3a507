# hookline-client.pl HERE VERSION STATE CWD LOCALE HOOKS_FILE MODE ARGUMENTS...
#
# The client for machines without a C compiler; hookline-client starts it. It calls a running daemon like hookline-client.c, with the same
# checks in the same order. Perl compiles this file at every call, which takes a quarter of the call. So the file has only what a call of a
# warm daemon needs; the rest is in without-daemon.pl. It loads no module, not even strict: that takes time, and PERL5LIB could replace it.
our ($here, $version, $state, $cwd, $locale, $file, $mode, @words) = @ARGV;
our ($silence_s, $most_payload, $node, $payload, $buffer, $daemon, $is_answered) = (2, 25 << 20, 'node', '', '');

# When Perl itself fails, as without memory or a free descriptor, a guard denies.
END { $? = $mode eq 'block' ? 2 : 1 if $mode && !$is_answered }

# Perl starts faster in the locale C. Hooks get the one of the caller: empty if LC_ALL is not set, else `=` and its value.
$locale eq '' ? delete $ENV{LC_ALL} : ($ENV{LC_ALL} = substr $locale, 1);

# Hooks that are turned off are logged; `run` writes the log.
in_process('none') if $ENV{HOOKLINE} eq '0';

# The content of these directories is trusted, so no other user can have created them: their directory or link could point into a checkout.
# The state directory itself may be a link that this user or root created.
for ($state, "$state/daemon", "$state/daemon/at") {
  my @found = lstat;
  @found = stat if -l _ && $_ eq $state && ($found[4] == $> || $found[4] == 0);
  in_process('none') if !-d _ || $found[4] != $> || $found[2] & 022;
}

# The path of the record is made from the path of the hooks file, as it was given. A part that is too long for a file name is split into
# directories.
my ($record, $name) = ("$state/daemon/at/", $file);
$name =~ s/%/%25/g;
$name =~ s{/}{%2F}g;
$record .= substr($name, 0, 200, '') . '+/' while length $name > 200;
$record .= $name;
# Opening anything but a regular file could block.
my @found = stat $record;
in_process('none') if !-f _ || $found[4] != $> || $found[2] & 022 || !open my $in, '<', $record;
sysread $in, my $text, 16383;
close $in;
my ($first, $node_path, $socket) = split /\n/, $text;
our ($mark, $pid, $start, $port, $key, $token, $secret) = split / /, $first;
in_process('none') if $mark ne 'hookline/1' || !defined $secret || $pid !~ /\A\d+\z/;
$node = $node_path if defined $node_path;

# The shell knows the path that leads here, which may have links. On Linux the system knows the directory itself.
if ($^O eq 'linux') {
  $cwd = readlink '/proc/self/cwd';
  # A deleted directory has a name that another directory may have.
  in_process('refused') if !defined $cwd || !-d $cwd || join('-', (stat _)[0, 1]) ne join '-', (stat '.')[0, 1];
}
# A header is one line, and spaces at its end are lost.
for ($file, $cwd) { in_process('refused') if /[\r\n]|[ \t]\z/ }
in_process('none') if $pid < 2 || !kill 0, $pid;

# The client must survive a daemon that dies during the call.
$SIG{PIPE} = 'IGNORE';

# The daemon accepts the connection while the payload is read. Only this user can have created the socket; the port is used when there is
# no usable socket.
my $is_connected = length $socket && length $socket < 104 && connect_to(1, "$socket\0") || (without_daemon(), connect_to_port());

# The payload is one line. A host may leave the pipe open without ending the line. If the input ends with `}` and no more is available, the
# payload may be complete; the daemon checks this. Several lines need a reader that knows where an object ends.
while (substr($payload, -1) ne "\n" && length $payload < $most_payload) {
  last if !is_ready(0, substr($payload, -1) eq '}' ? 0 : 5) || !sysread STDIN, $payload, 65536, length $payload;
}
in_process('refused') if $payload eq '' || length $payload >= $most_payload;
if ((my $end = index $payload, "\n") >= 0) {
  in_process('refused') if $end != length($payload) - 1 || substr($payload, -2, 1) ne '}';
  chop $payload;
}

# If the process id now belongs to another process, that process must not get the token.
in_process('none') if !is_running();
# A daemon that exits removes its record before it releases the port.
in_process('none') if !-e $record;
in_process('dead') if !$is_connected;

my $env = join '', map { "$_=$ENV{$_}\0" } keys %ENV;
my $size = length($env) + length $payload;
my $request = "POST /v1/hook/$key HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nAuthorization: Bearer $token\r\nContent-Type: application/json\r\n"
  . "Content-Length: $size\r\nHookline-Client: 1 $version ${\getppid} 0 ${\length $env} $mode\r\nHookline-File: $file\r\nHookline-Cwd: $cwd\r\n";
if ($size > 65536) {
  without_daemon();
  send_in_parts($request, "$env$payload");
}
else {
  write_all($daemon, "$request\r\n$env$payload", $silence_s) or in_process('rerun');
}

my $status = receive(12);
if ($status ne 'HTTP/1.1 200') {
  without_daemon();
  read_other_status($status);
}
# The head of an answer has a fixed length: secret, exit status, lengths of output and error, source, version.
my $head = receive(218 + length $version);
in_process('rerun') if length $secret != 64 || substr($head, 15, 64) ne $secret;
my ($code, $out, $err) = $head =~ /\A.{80}(\d{3}).(\d{8}).(\d{8})/s or in_process('rerun');
my ($stdout, $stderr) = (receive($out), receive($err));
in_process('rerun') if $code > 255 || !defined $stdout || !defined $stderr;
$is_answered = 1;
write_all(\*STDERR, $stderr);
# A denial that could not be written would have no effect, so the exit status denies.
exit $code if write_all(\*STDOUT, $stdout) && close STDOUT || $mode ne 'block';
write_all(\*STDERR, "hookline: the answer could not be written to standard output; denied\n");
exit 2;

# On BSD systems and macOS an address starts with its length. Nothing blocks: a daemon that is suspended accepts no connection. The 4 of
# fcntl is F_SETFL, the rest O_NONBLOCK.
sub connect_to {
  my ($family, $rest) = @_;
  my $is_linux = $^O eq 'linux';
  my $address = $is_linux ? pack('S a*', $family, $rest) : pack('C C a*', 2 + length $rest, $family, $rest);
  return socket($daemon, $family, 1, 0) && fcntl($daemon, 4, $is_linux ? 2048 : 4) && connect $daemon, $address;
}

# Waits until a descriptor can be read, or written.
sub is_ready {
  my ($fd, $within_s, $is_for_writing) = @_;
  vec(my $bits = '', $fd, 1) = 1;
  return ($is_for_writing ? select(undef, $bits, undef, $within_s) : select($bits, undef, undef, $within_s)) > 0;
}

# Writes everything, with no pause longer than this (undefined: no limit). The host may have made its end non-blocking: 11 and 35 are EAGAIN.
sub write_all {
  my ($to, $bytes, $within_s) = @_;
  for (my $at = 0; $at < length $bytes;) {
    is_ready(fileno $to, $within_s, 1) or return 0;
    my $took = syswrite $to, $bytes, 65536, $at;
    defined $took || $! == ($^O eq 'linux' ? 11 : 35) or return 0;
    $at += $took // 0;
  }
  return 1;
}

# Whether it is the same process, and not another one with the same process id. A zombie counts as exited.
sub is_running {
  open my $in, '<', "/proc/$pid/stat" or return kill(0, $pid) && !($^O eq 'linux' && $start ne '-');
  sysread $in, my $stat, 4095;
  my ($status, @fields) = split / /, substr $stat, 2 + rindex $stat, ')';
  return $status =~ /\A[^ZX]/ && $fields[18] eq $start;
}

# Exactly this many bytes from the daemon; undefined after two seconds without data.
sub receive {
  my ($size) = @_;
  while (length $buffer < $size) {
    is_ready(fileno $daemon, $silence_s) && sysread $daemon, $buffer, 65536, length $buffer or return undef;
  }
  return substr $buffer, 0, $size, '';
}

sub without_daemon { require "$here/without-daemon.pl" }

# Runs the app in a separate process and does not return. The argument is the reason why the daemon did not answer.
sub in_process {
  without_daemon();
  run_in_process(@_);
}
