// How a build process takes ownership of an attempt: the complete folder appears under its name at once.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { isErrno } from '../../shared/errno.js';
import type { BuildSpec } from '../../shared/protocol/index.js';
import { type AttemptFiles, attemptFiles, attemptName } from './attempt-folder.js';
import { makeAttemptsFolder } from './attempt-repair.js';

/** The process that runs an attempt, for a daemon that finds the attempt after that process has exited. */
export const attemptState = z.object({
  pid: z.int(),
  /** Boot id of the machine, see StartOrder. */
  boot: z.string(),
  /** Verifies the result; missing in attempts that older versions started. */
  result_key: z.string().optional(),
});
export type AttemptState = z.infer<typeof attemptState>;

export interface Takeover<Tools> {
  files: AttemptFiles;
  server: Server;
  tools: Tools;
}

/** Returns the temporary name of a folder that this process is creating. */
function unfinishedName(name: string, pid: number): string {
  return `.new-${name}.${pid}`;
}

/** Returns the process that creates (or created) the folder with this temporary name, or null for any other name. */
export function parseUnfinishedName(name: string): number | null {
  const pid = /^\.new-.+\.(\d+)$/.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * Creates the attempt's folder under a temporary name, listens on its control socket, then renames it. So a folder
 * with an attempt's name always has, or had, a process that listens. Then changes the working folder to the root folder:
 * the build can read the working folder of this process.
 *
 * Throws EEXIST when another process owns the attempt; nothing has changed then.
 */
export async function takeOver<Tools>(options: {
  buildsDir: string;
  spec: BuildSpec;
  state: AttemptState;
  reserveBytes: number;
  onConnection: (socket: Socket) => void;
  /** Everything else that can fail, run just before the rename; `making` has the temporary paths. */
  prepare: (making: AttemptFiles) => Tools;
}): Promise<Takeover<Tools>> {
  const { buildsDir, spec } = options;
  const name = attemptName(spec);
  const files = attemptFiles(path.join(buildsDir, name));
  const making = attemptFiles(path.join(buildsDir, unfinishedName(name, process.pid)));
  try {
    await makeAttemptsFolder(buildsDir);
    mkdirSync(making.folder, { mode: 0o700 });
    chmodSync(making.folder, 0o700);
    writeFileSync(making.spec, JSON.stringify(spec), { mode: 0o600 });
    writeFileSync(making.state, JSON.stringify(options.state), { mode: 0o600 });
    writeFileSync(making.reserve, Buffer.alloc(options.reserveBytes, '.'), { mode: 0o600 });
    const server = await listen(making, options.onConnection);
    chmodSync(making.control, 0o600);
    const tools = options.prepare(making);
    renameSync(making.folder, files.folder);
    return { files, server, tools };
  } catch (error) {
    rmSync(making.folder, { recursive: true, force: true });
    throw isErrno(error, 'ENOTEMPTY') ? Object.assign(new Error(`${name} exists`), { code: 'EEXIST' }) : error;
  }
}

/** Makes the takeover survive a power failure. Separate, so that the build does not wait for the disk. */
export async function persist(files: AttemptFiles): Promise<void> {
  await Promise.all([files.spec, files.state, files.folder, path.dirname(files.folder)].map(sync));
}

async function sync(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Listens on the control socket, by its name only: the path of a Unix socket may have at most 103 bytes. */
function listen(files: AttemptFiles, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once('error', reject);
    inFolder(files.folder, () =>
      server.listen(path.basename(files.control), () => {
        server.off('error', reject);
        resolve(server);
      }),
    );
  });
}

/** Closes the control socket, whose name Node removes from the working folder. */
export function stopListening(files: AttemptFiles, server: Server): void {
  inFolder(files.folder, () => server.close());
}

function inFolder(folder: string, work: () => void): void {
  process.chdir(folder);
  try {
    work();
  } finally {
    process.chdir('/');
  }
}
