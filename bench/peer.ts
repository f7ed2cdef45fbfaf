import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Runs the source of a server in another process. Resolves with the first line that it prints. */
export async function startPeer(source: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
  return {
    line,
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
