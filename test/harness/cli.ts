// Runs the command line as a person does, in a child process.
import { spawn } from 'node:child_process';
import { bin } from '../../bench/service.js';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export function cidermill(env: NodeJS.ProcessEnv, cwd: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Returns the output of the script, without the lines that the service adds. */
export const ownLines = (log: string): string => log.replace(/^\[cidermill\] .*\n/gm, '');
