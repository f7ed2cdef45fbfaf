// The tools of a guest: what Homebrew has installed, and well-known commands that came another way.
import { BREW_ENV, isToolName, toolNames } from './brew-output.js';
import type { GuestShell } from './shell.js';

/** Commands, and the names of the tools that they stand for. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  ...{
    carthage: 'carthage',
    fastlane: 'fastlane',
    flutter: 'flutter',
    gh: 'gh',
    git: 'git',
    'git-lfs': 'git-lfs',
  },
  ...{
    java: 'java',
    jq: 'jq',
    mint: 'mint',
    node: 'node',
    pod: 'cocoapods',
    python3: 'python3',
    ruby: 'ruby',
  },
  ...{ swiftformat: 'swiftformat', swiftlint: 'swiftlint', tuist: 'tuist', xcbeautify: 'xcbeautify' },
  ...{ xcodes: 'xcodes', yarn: 'yarn' },
};

const FOUND = 'cidermill-command ';

// The PATH of the user's own shell, because tools add themselves to it in its profile; only that is asked of the shell,
// which may be one whose language differs (fish).
const FIND_COMMANDS = `
login=$("\${SHELL:-/bin/zsh}" -l -c 'printf "\\ncidermill-path %s\\n" "$PATH"' 2>/dev/null </dev/null)
PATH=$(printf '%s\\n' "$login" | sed -n 's/^cidermill-path //p' | tail -n 1):$PATH
for name in "$@"; do
  if command -v "$name" >/dev/null 2>&1; then echo "${FOUND}$name"; fi
done
`;

/** Returns those of the commands that a login shell of the guest's user finds. */
async function findCommands(shell: GuestShell, names: readonly string[]): Promise<string[]> {
  const { stdout } = await shell.run(['/bin/sh', '-c', FIND_COMMANDS, 'cidermill', ...names]);
  const found = new Set(stdout.split('\n'));
  return names.filter((name) => found.has(FOUND + name));
}

/** Returns whether a build would find the command, or the command of the well-known tool. */
export async function hasCommand(shell: GuestShell, name: string): Promise<boolean> {
  const command = Object.keys(WELL_KNOWN).find((known) => WELL_KNOWN[known] === name) ?? name;
  return !command.includes('/') && (await findCommands(shell, [command])).length > 0;
}

/** Returns the names of installed tools, sorted. Without Homebrew, only the well-known ones. */
export async function listTools(shell: GuestShell): Promise<string[]> {
  const listed = ['--formula', '--cask'].map((kind) =>
    shell.run(['brew', 'list', kind, '-1'], { env: BREW_ENV }),
  );
  const names = new Set<string>();
  for (const { status, stdout } of await Promise.all(listed)) {
    if (status === 0) for (const name of toolNames(stdout)) names.add(name);
  }
  for (const command of await findCommands(shell, Object.keys(WELL_KNOWN))) names.add(WELL_KNOWN[command]!);
  return [...names].filter(isToolName).sort();
}
