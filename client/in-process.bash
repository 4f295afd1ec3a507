# The part of hookline-client that runs the app in a separate process, with the payload that was read so far. It ends the shell.
# The process reads the rest of standard input. `why` is the reason why the daemon did not answer, `trouble` why nothing can be run.
#
# The compiled client calls it as a program: in-process.bash FILE MODE WHY NODE EVENT, with the payload on descriptor 4.

head=made
if [[ $0 == "${BASH_SOURCE[0]}" ]]; then
  file=$1 mode=$2 why=$3 node=$4 event=$5 head=given
  here=${0%/*} locale=${LC_ALL-unset} quiet= trouble=
  trap '' PIPE
  exec 9>&2
fi

program=$here/../dist/cli/bin.cjs

# fail MESSAGE: the app cannot be run; the failure mode decides.
fail() {
  [[ $quiet ]] && exec 2>&9
  printf 'hookline: %s\n' "$1" >&2
  [[ $mode == block ]] && exit 2
  printf '{"systemMessage":"hookline: %s"}\n' "$(json_text "$1")"
  exit 1
}

# json_text TEXT: escapes a text for a JSON string. Paths may contain control characters, and bytes that are not UTF-8.
json_text() {
  local LC_ALL=C text=$1 one size
  local tail=$'[\200-\277]'
  while [[ $text ]]; do
    one=${text:0:1} size=1
    case $text in
      [\"\\]*) one=\\$one ;;
      [[:cntrl:]]*) printf -v one '\\u%04x' "'$one" ;;
      [$'\40'-$'\176']*) ;;
      [$'\302'-$'\337']$tail*) size=2 ;;
      $'\340'[$'\240'-$'\277']$tail* | [$'\341'-$'\354'$'\356'$'\357']$tail$tail* | $'\355'[$'\200'-$'\237']$tail*) size=3 ;;
      $'\360'[$'\220'-$'\277']$tail$tail* | [$'\361'-$'\363']$tail$tail$tail* | $'\364'[$'\200'-$'\217']$tail$tail*) size=4 ;;
      *) one='\ufffd' ;;
    esac
    ((size == 1)) || one=${text:0:size}
    printf %s "$one"
    text=${text:size}
  done
}

run() {
  exec 3>&- 5<&- 6<&- 8>&- 2>&9 9>&-
  quiet=
  if [[ $locale == unset ]]; then unset LC_ALL; else LC_ALL=$locale; fi
  [[ -x $node ]] || node=node
  [[ -f $program ]] || fail "$program no longer exists. Install hookline again, or remove its hooks from the settings."
  set -- "$program" run "$file" --on-failure "$mode" --because "$why" --head 4
  [[ $event ]] && set -- "$@" --event "$event"
  if [[ $head == given ]]; then "$node" "$@"; else "$node" "$@" 4< <(printf '%s' "$payload" 2>/dev/null); fi
  local code=$?
  [[ $why == none || $why == version ]] && start_daemon
  ((code == 127 || code == 126)) && fail "$node cannot be started, so $file was not run."
  # Under `block` a crashed process denies. For WorktreeCreate every status other than 0 denies, and some statuses give the reason.
  if [[ $mode == block && $event != WorktreeCreate ]] && ((code != 0)); then exit 2; fi
  exit "$code"
}

# start_daemon: starts the daemon in the background for later calls. It inherits no descriptor and not the tag of the current run, and it has
# its own process group, so a host that searches the client's group for processes left by a hook does not find it. Without a terminal,
# job control has no other effect.
start_daemon() {
  set -m 2>/dev/null
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

[[ $trouble ]] && fail "$trouble"
run
