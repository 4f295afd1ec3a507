# in-process.bash WHY NODE TROUBLE ARGUMENTS...
#
# The part of the client that runs the app in a separate process, for a client that cannot use the daemon. It expects `bash -p`: bash then
# ignores BASH_ENV and functions from the environment, which could bypass the guard.
#
# WHY is the reason why the daemon did not answer. Descriptor 4 then has the part of the payload that was read; the rest is still on standard
# input. An empty WHY means that nothing was read and that no daemon can be called from here. TROUBLE is a reason to run nothing. ARGUMENTS
# are those of the client.

why=$1 node=$2 trouble=$3
shift 3
here=${0%/*}
file= mode=continue event= option=
for word; do
  if [[ $option ]]; then
    printf -v "$option" %s "$word"
    option=
    continue
  fi
  case $word in
    --on-failure) option=mode mode= ;;
    --on-failure=*) mode=${word#*=} ;;
    --event) option=event ;;
    --event=*) event=${word#*=} ;;
    -*) trouble=${trouble:-Unknown option $word.} ;;
    *) if [[ $file ]]; then trouble=${trouble:-Unexpected argument $word.}; else file=$word; fi ;;
  esac
done
[[ $mode == continue ]] || mode=block
[[ $file ]] || trouble=${trouble:-hookline-client takes one hooks file.}
[[ $file == /* ]] || file=$PWD/$file
trap '' PIPE

program=$here/../dist/cli/bin.cjs

# fail MESSAGE: the app cannot be run; the failure mode decides.
fail() {
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
  [[ -x $node ]] || node=node
  [[ -f $program ]] || fail "$program no longer exists. Install hookline again, or remove its hooks from the settings."
  set -- "$program" run "$file" --on-failure "$mode"
  [[ $why ]] && set -- "$@" --because "$why" --head 4
  [[ $event ]] && set -- "$@" --event "$event"
  "$node" "$@"
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
