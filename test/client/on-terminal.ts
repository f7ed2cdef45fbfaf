// Runs the real command on a pseudo terminal of 80 columns.
import { spawn } from 'node-pty';
import type { Place } from './place.js';
import { BIN } from './spawn-cli.js';

/** Runs the command; ends with its exit code in the output. */
export function onTerminal(place: Place, args: string[], env: NodeJS.ProcessEnv = {}) {
  const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
  // Waits for a mark at the end: a terminal that closes at once can lose its last output.
  const script = `trap : INT; ${words}; echo "[ended $?]"; read -r _`;
  const pty = spawn('bash', ['-c', script], {
    cols: 80,
    rows: 25,
    cwd: place.project,
    env: { ...place.env, TERM: 'xterm-256color', ...env } as Record<string, string>,
  });
  let output = '';
  const waiters = new Set<() => void>();
  pty.onData((data) => {
    output += data;
    for (const wake of waiters) wake();
  });
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        const found = output.includes(text);
        if (!found && !output.includes('[ended ')) return;
        waiters.delete(check);
        if (found) resolve();
        else reject(new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(output)}`));
      };
      waiters.add(check);
      check();
    });
  const ended = async () => {
    await until('[ended ');
    const gone = new Promise((resolve) => pty.onExit(resolve));
    pty.write('\n');
    await gone;
    return { output, code: Number(/\[ended (\d+)\]/.exec(output)?.[1]) };
  };
  return { type: (keys: string | Buffer) => pty.write(keys), until, ended, output: () => output };
}
