// The shell code that runs a script on the pty. All of it is for bash 3.2, which is what macOS has.

/**
 * Session leader of the pty. It gets the mark over the terminal, so that neither arguments, environment nor files
 * ever hold it, and keeps the terminal open after the script until its end mark has been seen: closing it at once
 * loses the last output on Node before 24.
 *
 * The script runs in a session of its own that has no controlling terminal, and its output is opened for writing only:
 * a program that asks a person gets an error or the end of its input from `/dev/tty`, standard input and standard
 * error, and does not wait for an answer that never comes. macOS has no setsid command, but Perl.
 *
 * -opost: no CR before LF, and short lines are not ten times slower. -echo: what the agent sends is no output.
 * The traps keep this shell alive to report, and are not inherited by the script: whoever has seen the begin, which
 * the script's process prints with its own number, can end it by a signal. BASHPID is missing in bash 3.2.
 * Its own messages (`Killed: 9`) are nobody's output.
 */
const LEADER = `
/bin/stty -opost -echo
terminal=$(/usr/bin/tty)
for detach in /usr/bin/setsid /bin/setsid ""; do [ -x "$detach" ] && break; done
detach=("$detach")
[ -n "$detach" ] || detach=(/usr/bin/perl -MPOSIX=setsid -e 'setsid(); exec { $ARGV[0] } @ARGV; exit 127')
IFS= read -r mark || exit 1
trap : HUP INT QUIT TERM
wait=$1 login=$2
shift 2
exec 3>&2 2>/dev/null
(
  if [ -c "$terminal" ] && [ -w "$terminal" ]; then exec 4>"$terminal"; else exec 4>&3; fi
  printf '%s+%s\\n' "$mark" "\${BASHPID:-$(exec /bin/sh -c 'echo $PPID')}"
  exec "\${detach[@]}" /bin/bash -l -c "$login" cidermill "$PATH" "$@" </dev/null >&4 2>&4 3>&- 4>&-
)
code=$?
printf '%s-%d\\n' "$mark" "$code"
IFS= read -r -t "$wait" mark
exit "$code"
`;

/**
 * Gives the script a login environment without letting its \`-e\` act on profile files. What the host's PATH had and
 * a profile dropped is appended.
 */
const LOGIN = `
had=$1
shift
set -f
IFS=:
for entry in $had; do
  case ":$PATH:" in *":$entry:"*) ;; *) PATH=$PATH:$entry ;; esac
done
unset IFS had entry
set +f
export PATH
exec "$@"
`;

/**
 * The command that runs a script file inside a Mac: a file that begins with `#!` as it is, any other with
 * `bash -eo pipefail`. -p keeps the leader itself from reading BASH_ENV or functions out of the build's environment.
 */
export function wrapperCommand(scriptFile: string, script: string, endMarkWaitS: number): string[] {
  const run = script.startsWith('#!') ? [scriptFile] : ['/bin/bash', '-eo', 'pipefail', scriptFile];
  return ['/bin/bash', '-p', '-c', LEADER, 'cidermill', String(endMarkWaitS), LOGIN, ...run];
}
