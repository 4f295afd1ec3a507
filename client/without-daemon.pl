# What hookline-client.pl needs only when a call is long or slow, or when the daemon cannot be used. Perl compiles it only then.
# It loads no module either, because PERL5LIB could replace it; a test checks both files with strict.
our ($here, $mode, @words, $silence_s, $node, $payload, $daemon, $port, $is_answered);
# How long the daemon has worked on the call.
my $spent_s = 0;

# For a daemon without a usable socket.
sub connect_to_port {
  return 0 if $port !~ /\A[1-9]\d{0,4}\z/ || $port > 65535;
  return connect_to(2, pack 'n C4 x8', $port, 127, 0, 0, 1) || is_ready(fileno $daemon, $silence_s, 1) && getpeername $daemon;
}

# A long payload is announced first, because a daemon that hangs would never read it.
sub send_in_parts {
  my ($request, $body) = @_;
  write_all($daemon, "${request}Expect: 100-continue\r\n\r\n", $silence_s) && defined(my $line = receive(12)) or in_process('hung');
  in_process('refused') if $line ne 'HTTP/1.1 100';
  skip_line() && skip_line() or in_process('hung');
  write_all($daemon, $body, $silence_s) or in_process('rerun');
}

sub skip_line {
  for (;;) {
    my $byte = receive(1) // return 0;
    return 1 if $byte eq "\n";
  }
}

# Returns when the answer has come. A working daemon sends status 102 every second; no data for two seconds means it hangs.
sub read_other_status {
  my $status = shift // '';
  $status = receive(12) // '' while $status eq 'HTTP/1.1 102' && ++$spent_s && skip_line() && skip_line();
  # 409: the daemon has another version. It exits, and the next call finds a new one. A rejected call (4xx, 503) was not started.
  in_process('version') if $status eq 'HTTP/1.1 409';
  in_process('refused') if $status =~ m{\AHTTP/1\.1 (?:4|503\z)};
  in_process('rerun') if $status ne 'HTTP/1.1 200';
}

# The part of the payload that was read is on descriptor 4, the rest is still on standard input.
sub run_in_process {
  my ($why) = @_;
  -f "$here/in-process.bash" or fail('the package of this hook is incomplete');
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
    print $to $payload;
    close $to;
    exit 0;
  }
  close $filler;
  close $to;
  $SIG{PIPE} = 'DEFAULT';
  my $status = $mode eq 'block' ? 2 : 1;
  # A script that was cut off ends without an exit status of its own.
  my $command = qq(. "\$0"; echo "hookline: in-process.bash is incomplete." >&2; exit $status);
  exec { '/bin/bash' } 'bash', '-p', '-c', $command, "$here/in-process.bash", "$why $spent_s", $node, '', @words;
  fail('/bin/bash cannot be started');
}

sub fail {
  my ($what) = @_;
  $is_answered = 1;
  print STDERR "hookline: $what, so the hooks file was not run.\n";
  exit 2 if $mode eq 'block';
  print qq({"systemMessage":"hookline: $what, so the hooks file was not run."}\n);
  exit 1;
}

1;
