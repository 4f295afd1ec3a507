#!/bin/bash
# start-timer.bash ROUNDS WARM_UP PAYLOAD OUT NAME WORDS… [-- NAME WORDS…]…
#
# Starts every contestant in turn, round after round, with the payload in a pipe that is filled beforehand, and writes one line per start
# to OUT: name and microseconds. A shell does this because it is small: Node needs as long to start a small program as that takes to run.
LC_ALL=C
rounds=$1 warm=$2 payload=$3 out=$4
shift 4
content=$(<"$payload")
small=$((${#content} < 60000))
names=() commands=()
while (($#)); do
  names+=("$1") && shift
  words=()
  while (($#)) && [[ $1 != -- ]]; do words+=("$1") && shift; done
  shift
  printf -v quoted '%q ' "${words[@]}"
  commands+=("$quoted")
done
for ((round = -warm; round < rounds; round++)); do
  for ((i = 0; i < ${#names[@]}; i++)); do
    eval "set -- ${commands[i]}"
    exec 4< <(exec cat "$payload")
    # A pipe holds 64 KiB; the rest is written while it is read.
    ((small)) && wait $!
    begun=$EPOCHREALTIME
    "$@" <&4 >/dev/null 2>&1
    ended=$EPOCHREALTIME
    exec 4<&-
    ((round < 0)) || echo "${names[i]} $((${ended/./} - ${begun/./}))" >>"$out"
  done
done
