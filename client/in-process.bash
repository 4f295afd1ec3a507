# The part of hookline-client that runs the app in a process of its own, with the payload that was read so far. It ends the shell.
# What is left on standard input is read by that process. `why` says why the daemon did not answer.
#
# The compiled client calls it as a program: in-process.bash FILE MODE WHY NODE WORTREE, with the payload on descriptor 4.

head=made
if [[ $0 == "${BASH_SOURCE[0]}" ]]; then
  file=$1 mode=$2 why=$3 node=$4 payload=$5 head=given
  here=${0%/*} locale=${LC_ALL-unset}
  trap '' PIPE
  exec 9>&2
fi

program=$here/../dist/cli/bin.cjs

# fail MESSAGE: nobody can answer; the failure mode decides.
fail() {
  [[ $quiet ]] && exec 2>&9
  printf 'hookline: %s\n' "$1" >&2
  [[ $mode == block ]] && exit 2
  local text=${1//\\/\\\\}
  printf '{"systemMessage":"hookline: %s"}\n' "${text//\"/\\\"}"
  exit 1
}

run() {
  exec 3>&- 2>&9 9>&-
  quiet=
  if [[ $locale == unset ]]; then unset LC_ALL; else LC_ALL=$locale; fi
  [[ -x $node ]] || node=node
  [[ -f $program ]] || fail "$program is gone. Install hookline again, or take its hooks out of the settings."
  set -- "$program" run "$file" --on-failure "$mode" --because "$why" --head 4
  if [[ $head == given ]]; then "$node" "$@"; else "$node" "$@" 4< <(printf '%s' "$payload" 2>/dev/null); fi
  local code=$?
  [[ $why == none || $why == version ]] && start_daemon
  ((code == 127 || code == 126)) && fail "$node cannot be started, so $file was not run."
  # Under block a process that fell over is a refusal; only a worktree that is refused has a status of its own.
  if [[ $mode == block && $payload != *WorktreeCreate* ]] && ((code != 0)); then exit 2; fi
  exit "$code"
}

# start_daemon: in the background, for the calls to come, with no descriptor of ours and without the tag of the run we are in.
start_daemon() {
  (
    trap - PIPE
    trap '' HUP
    for fd in /dev/fd/*; do
      fd=${fd##*/}
      ((fd > 2 && fd != 255)) && eval "exec $fd>&-"
    done 2>/dev/null
    unset HOOKLINE_RUN
    exec "$node" "$program" serve "$file"
  ) </dev/null >/dev/null 2>&1 &
}

[[ $why == usage ]] && fail 'hookline-client takes one hooks file.'
run
