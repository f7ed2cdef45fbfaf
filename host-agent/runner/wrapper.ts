// The shell code that runs a script on the pty, written for bash 3.2, which macOS has.

import { LEADER_TIME } from './terminal-input.js';

/**
 * The session leader of the pty. It reads the mark from the terminal, so that the mark is never in arguments, environment or
 * files; the terminal's name follows the mark. It keeps the terminal open after the script until its end mark has been read:
 * closing it at once loses the last output on Node before 24.
 *
 * The script runs in another session without controlling terminal, and its output is opened write-only: a program
 * that prompts gets an error or end of input from `/dev/tty`, standard input and standard error, instead of waiting
 * for an answer. macOS has no setsid command, but has Perl.
 *
 * min 0: a program that opens the terminal by its name to read it gets the end of input, until it changes that
 * (terminal-input.ts).
 *
 * -opost: no CR before LF, and short lines are ten times faster. -echo: what the agent sends must not appear as
 * output. The traps keep this shell alive to report the exit code, and are not inherited by the script: after the
 * begin mark, which the script's process prints with its process id, signals end the script. BASHPID is missing in
 * bash 3.2. Messages of this shell (`Killed: 9`) are discarded. Its own wait at the end has a `time` of its own,
 * which distinguishes it from a program that waits for keys.
 */
const LEADER = `
/bin/stty -opost -echo
for detach in /usr/bin/setsid /bin/setsid ""; do [ -x "$detach" ] && break; done
detach=("$detach")
[ -n "$detach" ] || detach=(/usr/bin/perl -MPOSIX=setsid -e 'setsid(); exec { $ARGV[0] } @ARGV; exit 127')
IFS=' ' read -r mark terminal || exit 1
/bin/stty -icanon min 0 time 0
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
/bin/stty -icanon min 1 time ${LEADER_TIME}
printf '%s-%d\\n' "$mark" "$code"
IFS= read -r -t "$wait" mark
exit "$code"
`;

/**
 * Gives the script a login environment without letting its \`-e\` act on profile files. Entries of the host's PATH
 * that a profile dropped are appended.
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

/** Before the names of the build's variables until its script starts. Secrets cannot be named so. */
const CARRIED = 'CIDERMILL_V_';

/** Returns the build's variables under names that mean nothing to the programs that start the script. */
export const carried = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [CARRIED + name, value]));

/** Gives the build's variables their names and executes the script. A shell complains about some, e.g. LC_ALL. */
const REVEAL = `
{
  for carried in \${!${CARRIED}@}; do
    export "\${carried#${CARRIED}}=\${!carried}"
    unset "$carried"
  done
  unset carried
} 2>/dev/null
exec "$@"
`;

/**
 * Returns the command that runs a script file inside a Mac: a file that begins with `#!` directly, any other with
 * `bash -eo pipefail`. -p keeps our own shells from reading BASH_ENV or functions from the environment.
 */
export function wrapperCommand(scriptFile: string, script: string, endMarkWaitS: number): string[] {
  const run = script.startsWith('#!') ? [scriptFile] : ['/bin/bash', '-eo', 'pipefail', scriptFile];
  const shell = (code: string) => ['/bin/bash', '-p', '-c', code, 'cidermill'];
  return [...shell(LEADER), String(endMarkWaitS), LOGIN, ...shell(REVEAL), ...run];
}
