# hookline-client.pl VERSION STATE CWD ARGUMENTS...
#
# The client for machines without a C compiler; hookline-client starts it. It calls a running daemon like hookline-client.c, with the same
# checks in the same order, and leaves everything else to in-process.bash. It uses no module: loading one takes longer than a whole call.
use strict;

my ($version, $state, $cwd, @words) = @ARGV;
my ($here) = $0 =~ m{\A(.*)/}s;
my ($silence_s, $pause_s, $offered_first, $most_payload) = (2, 5, 65536, 25 << 20);
my $is_linux = $^O eq 'linux';
my ($node, $payload, $daemon, $buffer) = ('node', '', undef, '');

my ($file, $mode) = read_words();
$file = "$cwd/$file" if $file !~ m{\A/};
# Hooks that are turned off are logged; `run` writes the log.
in_process('none') if ($ENV{HOOKLINE} // '') eq '0';
my ($record_path, $pid, $start, $port, $key, $token, $secret, $socket) = find_record();
# A header is one line, and spaces at its end are lost.
for ($file, $cwd) { in_process('refused') if /[\r\n]|[ \t]\z/ }
in_process('none') if $pid < 2 || !kill(0, $pid);
# The client must survive a daemon that dies during the call.
$SIG{PIPE} = 'IGNORE';
# The daemon accepts the connection while the payload is read.
my $is_connected = connect_to_daemon();
read_payload();
# If the process id now belongs to another process, that process must not get the token.
in_process('none') if !is_running();
# A daemon that exits removes its record before it releases the port.
in_process('none') if !-e $record_path;
in_process('dead') if !$is_connected;
send_request();
exit read_answer();

# The hooks file and the failure mode. in-process.bash reports what is wrong with the arguments.
sub read_words {
  my ($found, $on_failure) = ('', 'continue');
  my @left = @words;
  while (defined(my $word = shift @left)) {
    if ($word =~ /\A--(on-failure|event)(?:=(.*))?\z/s) {
      my $value = $2 // shift(@left) // '';
      $on_failure = $value if $1 eq 'on-failure';
    }
    elsif ($word =~ /\A-/ || $found ne '') { in_process('none') }
    else { $found = $word }
  }
  in_process('none') if $found eq '';
  return ($found, $on_failure eq 'continue' ? 'continue' : 'block');
}

# Whether only this user can have created a directory: its content is trusted, and another user's directory or link could point into a
# checkout. The state directory itself may be a link that this user or root created.
sub is_ours {
  my ($below) = @_;
  my @found = lstat "$state$below" or return 0;
  if (-l _) {
    return 0 if $below ne '' || ($found[4] != $> && $found[4] != 0);
    @found = stat $state or return 0;
  }
  return -d _ && $found[4] == $> && !($found[2] & 022);
}

# The path of the record is made from the path of the hooks file, as it was given. A part that is too long for a file name is split into
# directories.
sub find_record {
  for ('', '/daemon', '/daemon/at') { in_process('none') if !is_ours($_) }
  my ($path, $name) = ("$state/daemon/at/", $file);
  $name =~ s{([%/])}{$1 eq '%' ? '%25' : '%2F'}ge;
  $path .= substr($name, 0, 200, '') . '+/' while length $name > 200;
  $path .= $name;
  # Opening anything but a regular file could block.
  my @found = stat $path;
  in_process('none') if !@found || !-f _ || $found[4] != $> || $found[2] & 022;
  open my $in, '<:raw', $path or in_process('none');
  sysread $in, my $text, 16383;
  close $in;
  my ($first, $node_path, $unix) = split /\n/, $text // '';
  my ($mark, @fields) = split / /, $first // '';
  in_process('none') if ($mark // '') ne 'hookline/1' || @fields < 6 || $fields[0] !~ /\A\d+\z/;
  $node = $node_path if defined $node_path;
  return ($path, @fields[0 .. 5], $unix);
}

# Only this user can have created the socket. The port is used when there is no usable socket. An alarm ends a connection that is never
# accepted.
sub connect_to_daemon {
  local $SIG{ALRM} = sub { };
  my @places;
  push @places, [1, address(1, $socket)] if defined $socket && length($socket) > 0 && length($socket) < 104;
  push @places, [2, address(2, pack('n C4 x8', $port, 127, 0, 0, 1))] if $port =~ /\A[1-9]\d{0,4}\z/ && $port < 65536;
  for my $place (@places) {
    my ($family, $address) = @$place;
    socket($daemon, $family, 1, 0) or next;
    alarm $silence_s;
    my $is_open = connect $daemon, $address;
    alarm 0;
    return 1 if $is_open;
    close $daemon;
  }
  $daemon = undef;
  return 0;
}

# A socket address; on BSD systems and macOS it starts with its length.
sub address {
  my ($family, $rest) = @_;
  $rest .= "\0" if $family == 1;
  return $is_linux ? pack('S a*', $family, $rest) : pack('C C a*', 2 + length $rest, $family, $rest);
}

# Whether it is the same process, and not another one with the same process id. A zombie counts as exited.
sub is_running {
  open my $in, '<:raw', "/proc/$pid/stat" or return kill(0, $pid) && !($is_linux && $start ne '-');
  sysread $in, my $stat, 4095;
  my ($status, @fields) = split / /, ($stat // '') =~ s/\A.*\) //sr;
  return ($status // 'X') !~ /\A[ZX]/ && ($fields[18] // '') eq $start;
}

sub is_ready {
  my ($handle, $within_s) = @_;
  vec(my $bits = '', fileno $handle, 1) = 1;
  return select($bits, undef, undef, $within_s) > 0;
}

# Reads one line. A host may leave the pipe open without ending the line. If the input ends with `}` and no more is available, the payload
# may be complete; the daemon checks this. Several lines need a reader that knows where an object ends.
sub read_payload {
  my $wait_s = $pause_s;
  while (length $payload < $most_payload && is_ready(\*STDIN, $wait_s)) {
    my $got = sysread STDIN, $payload, 65536, length $payload;
    last if !$got;
    my $last = substr $payload, -1;
    last if $last eq "\n";
    $wait_s = $last eq '}' ? 0 : $pause_s;
  }
  in_process('refused') if $payload eq '' || length $payload >= $most_payload;
  my $end = index $payload, "\n";
  return if $end < 0;
  in_process('refused') if $end != length($payload) - 1 || $payload !~ /\}\n\z/;
  chop $payload;
}

sub send_request {
  my ($self, $env) = ($$, '');
  # On Linux the daemon reads the environment by process id.
  ($self, $env) = (0, join '', map { "$_=$ENV{$_}\0" } keys %ENV) if !$is_linux;
  my $size = length($env) + length $payload;
  my $head = join "\r\n", "POST /v1/hook/$key HTTP/1.1", "Host: 127.0.0.1:$port", "Authorization: Bearer $token",
    'Content-Type: application/json', "Content-Length: $size",
    "Hookline-Client: 1 $version " . getppid() . " $self " . length($env) . " $mode", "Hookline-File: $file", "Hookline-Cwd: $cwd", '';
  # A long payload is announced first, because a daemon that hangs would never read it.
  if ($size > $offered_first) {
    write_all("${head}Expect: 100-continue\r\n\r\n") && defined(my $line = receive(12)) or in_process('hung');
    in_process('refused') if $line ne 'HTTP/1.1 100';
    skip_line() && skip_line() or in_process('hung');
    $head = '';
  }
  else { $head .= "\r\n" }
  write_all("$head$env$payload") or in_process('rerun');
}

# Writes to the daemon, with no pause longer than two seconds.
sub write_all {
  my ($bytes) = @_;
  local $SIG{ALRM} = sub { };
  for (my $at = 0; $at < length $bytes;) {
    alarm $silence_s;
    my $took = syswrite $daemon, $bytes, 65536, $at;
    alarm 0;
    return 0 if !$took;
    $at += $took;
  }
  return 1;
}

# Exactly this many bytes from the daemon; undefined after two seconds without data.
sub receive {
  my ($size) = @_;
  while (length $buffer < $size) {
    return undef if !is_ready($daemon, $silence_s) || !sysread $daemon, $buffer, 65536, length $buffer;
  }
  return substr $buffer, 0, $size, '';
}

sub skip_line {
  for (;;) {
    my $byte = receive(1) // return 0;
    return 1 if $byte eq "\n";
  }
}

sub read_answer {
  my $status;
  # A working daemon sends status 102 every second; no data for two seconds means it hangs.
  do { $status = receive(12) // in_process('rerun') } while $status eq 'HTTP/1.1 102' && skip_line() && skip_line();
  # 409: the daemon has another version. It exits, and the next call finds a new one. A rejected call (4xx, 503) was not started.
  in_process('version') if $status eq 'HTTP/1.1 409';
  in_process('refused') if $status =~ m{\AHTTP/1\.1 (?:4|503\z)};
  in_process('rerun') if $status ne 'HTTP/1.1 200';
  # The head of an answer has a fixed length: secret, exit status, lengths of output and error, source, version.
  my $head = receive(218 + length $version) // in_process('rerun');
  in_process('rerun') if length $secret != 64 || substr($head, 15, 64) ne $secret;
  my ($code, $out, $err) = $head =~ /\A.{80}(\d{3}).(\d{8}).(\d{8})/s or in_process('rerun');
  in_process('rerun') if $code > 255;
  my $stdout = receive($out) // in_process('rerun');
  my $stderr = receive($err) // in_process('rerun');
  print_all(\*STDERR, $stderr);
  # A denial that could not be written would have no effect, so the exit status denies.
  return print_all(\*STDOUT, $stdout) || $mode ne 'block' ? $code : 2;
}

sub print_all {
  my ($handle, $bytes) = @_;
  for (my $at = 0; $at < length $bytes;) {
    my $took = syswrite $handle, $bytes, length($bytes) - $at, $at;
    next if !defined $took && $! == 4; # interrupted
    return 0 if !$took;
    $at += $took;
  }
  return 1;
}

# Runs the app in a separate process: the part of the payload that was read is on descriptor 4, the rest is still on standard input. `why` is
# the reason why the daemon did not answer.
sub in_process {
  my ($why) = @_;
  close $daemon if $daemon;
  # What this process opened is closed when it becomes another program; what the host left open is closed here, which frees descriptor 4.
  for my $fd (3 .. 9) {
    my $inherited;
    close $inherited if open $inherited, '<&=', $fd;
  }
  local $^F = 9;
  open my $filler, '<', '/dev/null';
  pipe my $from, my $to or fail('no descriptor is left');
  fail('no descriptor is left') if fileno $from != 4;
  my $writer = fork // fail('no process can be started');
  if ($writer == 0) {
    # With these open, a host could wait for this process to end.
    close $_ for \*STDIN, \*STDOUT, \*STDERR, $from;
    $SIG{PIPE} = 'DEFAULT';
    print_all($to, $payload);
    exit 0;
  }
  close $filler;
  close $to;
  $SIG{PIPE} = 'DEFAULT';
  exec { '/bin/bash' } 'bash', '-p', "$here/in-process.bash", $why, $node, '', @words;
  fail('/bin/bash cannot be started');
}

sub fail {
  my ($what) = @_;
  print STDERR "hookline: $what, so the hooks file was not run.\n";
  exit 2 if ($mode // 'block') eq 'block';
  print qq({"systemMessage":"hookline: $what, so the hooks file was not run."}\n);
  exit 1;
}
