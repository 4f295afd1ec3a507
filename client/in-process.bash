# in-process.bash WHY NODE TROUBLE ARGUMENTS...
#
# The part of the client that runs the app in a separate process, for a client that cannot use the daemon. It expects `bash -p`: bash then
# ignores BASH_ENV and functions from the environment, which could bypass the guard.
#
# WHY is the reason why the daemon did not answer and the seconds it has used, such as `rerun 18`. Descriptor 4 then has the part of the payload
# that was read; the rest is still on standard input. An empty WHY means that nothing was read and that no daemon can be called from here.
# TROUBLE is a reason to run nothing. ARGUMENTS are those of the client. Variables have long names because hooks get those that are exported.

# A limit that the environment sets for calls of functions would end this script.
unset FUNCNEST
hookline_why=${1% *} hookline_spent=${1#* } hookline_node=$2 hookline_trouble=$3
shift 3
hookline_here=${0%/*}
hookline_file= hookline_mode=continue hookline_event= hookline_option=
for hookline_word; do
  if [[ $hookline_option ]]; then
    printf -v "$hookline_option" %s "$hookline_word"
    hookline_option=
    continue
  fi
  case $hookline_word in
    --on-failure) hookline_option=hookline_mode hookline_mode= ;;
    --on-failure=*) hookline_mode=${hookline_word#*=} ;;
    --event) hookline_option=hookline_event ;;
    --event=*) hookline_event=${hookline_word#*=} ;;
    -*) hookline_trouble=${hookline_trouble:-Unknown option $hookline_word.} ;;
    *) if [[ $hookline_file ]]; then hookline_trouble=${hookline_trouble:-Unexpected argument $hookline_word.}; else hookline_file=$hookline_word; fi ;;
  esac
done
# Whatever ends this script, such as a process that cannot be started, is a failure until the app has ended.
hookline_status=1
[[ $hookline_mode == continue ]] || hookline_mode=block hookline_status=2
trap 'exit "$hookline_status"' EXIT
[[ $hookline_file ]] || hookline_trouble=${hookline_trouble:-hookline-client takes one hooks file.}
[[ $hookline_file == /* ]] || hookline_file=$PWD/$hookline_file
trap '' PIPE
# The app would replace a closed standard output by /dev/null, and a denial that is lost would have no effect. Writing here fails.
[[ -e /dev/fd/1 ]] || exec 1</dev/null

hookline_program=$hookline_here/../dist/cli/bin.cjs

# fail MESSAGE: the app cannot be run; the failure mode decides.
fail() {
  printf 'hookline: %s\n' "$1" >&2
  [[ $hookline_mode == block ]] || printf '{"systemMessage":"hookline: %s"}\n' "$(json_text "$1")"
  exit
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
  [[ -x $hookline_node ]] || hookline_node=node
  type -P "$hookline_node" >/dev/null ||
    fail "There is no Node in PATH, so $hookline_file was not run. Put node in PATH, or let the entries name it: hookline install --scope local --transport run"
  [[ -f $hookline_program ]] || fail "$hookline_program no longer exists. Install hookline again, or remove its hooks from the settings."
  set -- "$hookline_program" run "$hookline_file" --on-failure "$hookline_mode"
  [[ $hookline_why ]] && set -- "$@" --because "$hookline_why" --spent "$hookline_spent" --head 4
  [[ $hookline_event ]] && set -- "$@" --event "$hookline_event"
  "$hookline_node" "$@"
  local code=$?
  [[ $hookline_why == none || $hookline_why == version ]] && start_daemon
  ((code == 127 || code == 126)) && fail "$hookline_node cannot be started, so $hookline_file was not run."
  # Under `block` a crashed process denies. For WorktreeCreate every status other than 0 denies, and some statuses give the reason.
  [[ $hookline_mode == block && $hookline_event != WorktreeCreate ]] && ((code != 0)) || hookline_status=$code
  exit
}

# start_daemon: starts the daemon in the background for later calls. It inherits no descriptor and not the tag of the current run, and it has
# its own process group, so a host that searches the client's group for processes left by a hook does not find it. Without a terminal,
# job control has no other effect.
start_daemon() {
  set -m 2>/dev/null
  (
    trap - PIPE
    trap '' HUP
    for hookline_fd in /dev/fd/*; do
      hookline_fd=${hookline_fd##*/}
      ((hookline_fd > 2)) && eval "exec $hookline_fd>&-"
    done 2>/dev/null
    unset HOOKLINE_RUN
    exec "$hookline_node" "$hookline_program" serve "$hookline_file"
  ) </dev/null >/dev/null 2>&1 &
}

[[ $hookline_trouble ]] && fail "$hookline_trouble"
run
