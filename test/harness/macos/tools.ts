// macOS's command-line tools (launchctl, dscl, sysadminctl, …) for tests on other systems: executables that record every call,
// answer as the real ones do, and fail on command.
//
//     const mac = openMacTools(t);
//     await installHostAgent({ …, run: mac.run });
//     t.match(mac.calls(), [['dscl', …], ['launchctl', 'bootstrap', …]]);
//
// Each is a file below test/harness/macos/, where it has the path that it has on macOS. A process gets them by the variable
// CIDERMILL_TOOLS_DIR (`mac.env`).
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { type RunTool, toolsBelow } from '../../../host-agent/installation/system-tools.js';

const source = fileURLToPath(new URL('../../../../test/harness/macos/', import.meta.url));

/** An account: name, uid, home. Its group is `staff` (20), its shell zsh. */
export interface MacAccount {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
}

export interface MacTools {
  /** Folder of the stand-ins: `ROOT/bin/launchctl`, …; and of their state, `ROOT/state`. */
  readonly root: string;
  readonly run: RunTool;
  /** Environment of a process that uses them. */
  readonly env: { readonly CIDERMILL_TOOLS_DIR: string };
  /** Returns all calls so far, with the tool's name first; and those of one tool, without its name. */
  calls(): string[][];
  calls(tool: string): string[][];
  /** Sets a value that a stand-in reads (see each of them): `lingers`, `session-501`, `really-run`, … */
  set(name: string, value?: string): void;
  unset(name: string): void;
  read(name: string): string | null;
  /**
   * Makes a tool fail, for one first argument (`launchctl bootstrap`) or any.
   *
   * @param times default: until `unset('fault-…')`
   */
  fail(
    tool: string,
    failure: { code: number; stdout?: string; stderr?: string; times?: number; argument?: string },
  ): void;
}

export function openMacTools(t: Test, { accounts = [] }: { accounts?: readonly MacAccount[] } = {}): MacTools {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-mac-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const state = (name: string) => join(root, 'state', name);
  mkdirSync(state(''));
  for (const folder of ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/libexec']) {
    for (const name of filesOf(join(source, folder))) {
      mkdirSync(dirname(join(root, folder, name)), { recursive: true });
      symlinkSync(join(source, folder, name), join(root, folder, name));
    }
  }
  const set = (name: string, value = '') => writeFileSync(state(name), value);
  const read = (name: string) => {
    try {
      return readFileSync(state(name), 'utf8');
    } catch {
      return null;
    }
  };
  set(
    'users',
    [{ name: 'root', uid: 0, home: '/var/root' }, ...accounts]
      .map(({ name, uid, home }) => `${name}:${uid}:20:${home}:/bin/zsh:\n`)
      .join(''),
  );
  return {
    root,
    run: toolsBelow(root),
    env: { CIDERMILL_TOOLS_DIR: root },
    calls(tool?: string) {
      const lines = (read('calls') ?? '').split('\n').filter((line) => line !== '');
      const calls = lines.map((line) => JSON.parse(line) as string[]);
      return tool === undefined ? calls : calls.filter(([name]) => name === tool).map(([, ...args]) => args);
    },
    set,
    read,
    unset: (name) => rmSync(state(name), { force: true }),
    fail(tool, { code, stdout = '', stderr = '', times, argument }) {
      const name = argument === undefined ? `fault-${tool}` : `fault-${tool}-${argument}`;
      set(name, [code, times ?? '', stdout, stderr].join('\0'));
    },
  };
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No tool is in this folder.
    return [];
  }
}
