// The tools of a guest: what Homebrew has installed, and well-known commands that came another way.
import path from 'node:path';
import { BREW_ENV, toolNames } from './brew-output.js';
import { selectedDeveloperDir } from './selected.js';
import type { GuestShell } from './shell.js';

/** Commands whose tool has the same name. */
const SAME_NAME = [
  'carthage',
  'fastlane',
  'flutter',
  'gh',
  'git',
  'git-lfs',
  'java',
  'jq',
  'mint',
  'node',
  'python3',
  'ruby',
  'swiftformat',
  'swiftlint',
  'tuist',
  'xcbeautify',
  'xcodes',
  'yarn',
];
/** Commands, and the names of the tools that they stand for. */
const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
  ...SAME_NAME.map((name) => [name, name] as const),
  ['pod', 'cocoapods'],
]);

// Placeholders of macOS: they work once developer tools are selected, or never without a Java that also puts a command
// of its own somewhere else.
const NEEDS_XCODE = new Set(
  ['clang', 'gcc', 'git', 'make', 'pip3', 'python3', 'swift'].map((name) => `/usr/bin/${name}`),
);
const JAVA = '/usr/bin/java';

const FOUND = 'cidermill-command ';

// The PATH of the user's own shell, because tools add themselves to it in its profile; only that is asked of the shell,
// which may be one whose language differs (fish).
const FIND_COMMANDS = `
login=$("\${SHELL:-/bin/zsh}" -l -c 'printf "\\ncidermill-path %s\\n" "$PATH"' 2>/dev/null </dev/null)
PATH=$(printf '%s\\n' "$login" | sed -n 's/^cidermill-path //p' | tail -n 1):$PATH
for name in "$@"; do
  if place=$(command -v "$name" 2>/dev/null); then echo "${FOUND}$name $place"; fi
done
`;

/** Returns those of the commands that a login shell of the guest's user finds, and that work. */
async function findCommands(shell: GuestShell, names: readonly string[]): Promise<string[]> {
  const { stdout } = await shell.run(['/bin/sh', '-c', FIND_COMMANDS, 'cidermill', ...names]);
  const places = new Map<string, string>();
  for (const line of stdout.split('\n')) {
    const [name = '', place = ''] = line.startsWith(FOUND) ? line.slice(FOUND.length).split(' ') : [];
    places.set(name, place);
  }
  const needsXcode = [...places.values()].some((place) => NEEDS_XCODE.has(place));
  const lacksXcode = needsXcode && (await selectedDeveloperDir(shell)) === null;
  const works = (place: string | undefined) =>
    place !== undefined && place !== JAVA && !(lacksXcode && NEEDS_XCODE.has(place));
  return names.filter((name) => works(places.get(name)));
}

/** Returns whether a build would find the command, or the command of the well-known tool. */
export async function hasCommand(shell: GuestShell, name: string): Promise<boolean> {
  const command = [...WELL_KNOWN].find(([, tool]) => tool === name)?.[0] ?? name;
  return !command.includes('/') && (await findCommands(shell, [command])).length > 0;
}

/** The maximum that the control plane accepts. */
const MOST_TOOLS = 200;

/**
 * Returns the names of installed tools, sorted: well-known ones, and what Homebrew has installed except for formulae that
 * are only there because others need them.
 */
export async function listTools(shell: GuestShell): Promise<string[]> {
  const brew = (...words: string[]) => shell.run(['brew', ...words], { env: BREW_ENV });
  const [wellKnown, leaves, casks] = await Promise.all([
    findCommands(shell, [...WELL_KNOWN.keys()]),
    brew('leaves'),
    brew('list', '--cask', '-1'),
  ]);
  const names = new Set(wellKnown.map((command) => WELL_KNOWN.get(command)!));
  for (const { status, stdout } of [leaves, casks]) {
    // Those of a tap have its name before theirs.
    if (status === 0) for (const name of toolNames(stdout)) names.add(path.posix.basename(name));
  }
  return [...names].slice(0, MOST_TOOLS).sort();
}
