// How a build process makes an attempt its own: the folder appears under its name at once, with everything in it.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import type { BuildSpec } from '../../shared/protocol/index.js';
import { isErrno } from '../system/durable-file.js';
import { type AttemptFiles, attemptFiles, attemptName } from './attempt-folder.js';

/** Which process runs an attempt; what a daemon needs to know of it once that process is gone. */
export const attemptState = z.object({
  pid: z.int(),
  /** The run of the machine, see StartOrder. */
  boot: z.string(),
});
export type AttemptState = z.infer<typeof attemptState>;

export interface Takeover<Tools> {
  files: AttemptFiles;
  server: Server;
  tools: Tools;
}

/** What a folder is called while this process makes it. */
function unfinishedName(name: string, pid: number): string {
  return `.new-${name}.${pid}`;
}

/** The process that makes (or made) the folder of that name, or null for any other name. */
export function parseUnfinishedName(name: string): number | null {
  const pid = /^\.new-.+\.(\d+)$/.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * Makes the attempt's folder, with this process listening on its control socket, and then gives it its name. A folder
 * with that name therefore always has a process that answers, or had one. Changes the working folder of the process,
 * because the path of a Unix socket may not be longer than 103 bytes.
 *
 * Throws EEXIST when the attempt is somebody's already; then nothing has changed.
 */
export async function takeOver<Tools>(options: {
  buildsDir: string;
  spec: BuildSpec;
  state: AttemptState;
  reserveBytes: number;
  onConnection: (socket: Socket) => void;
  /** What else can fail, done just before the folder gets its name; `making` is what it is called until then. */
  prepare: (making: AttemptFiles) => Tools;
}): Promise<Takeover<Tools>> {
  const { buildsDir, spec } = options;
  const name = attemptName(spec);
  const files = attemptFiles(path.join(buildsDir, name));
  const making = attemptFiles(path.join(buildsDir, unfinishedName(name, process.pid)));
  try {
    mkdirSync(making.artifacts, { recursive: true, mode: 0o700 });
    chmodSync(making.folder, 0o700);
    writeFileSync(making.spec, JSON.stringify(spec), { mode: 0o600 });
    writeFileSync(making.state, JSON.stringify(options.state), { mode: 0o600 });
    writeFileSync(making.script, spec.script, { mode: 0o700 });
    writeFileSync(making.reserve, Buffer.alloc(options.reserveBytes, '.'), { mode: 0o600 });
    process.chdir(making.folder);
    const server = await listen(path.basename(making.control), options.onConnection);
    const tools = options.prepare(making);
    renameSync(making.folder, files.folder);
    return { files, server, tools };
  } catch (error) {
    process.chdir('/');
    rmSync(making.folder, { recursive: true, force: true });
    throw isErrno(error, 'ENOTEMPTY')
      ? Object.assign(new Error(`${name} exists`), { code: 'EEXIST' })
      : error;
  }
}

/** Makes the takeover survive power loss. Apart from it, so that the build need not wait for the disk. */
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

function listen(control: string, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once('error', reject);
    server.listen(control, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}
