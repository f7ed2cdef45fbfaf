// The versions of the host agent that are installed side by side, and which of them is the current one.

import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readJson, syncFolder } from '../../shared/durable-file.js';
import { errnoOf, unless } from '../../shared/errno.js';
import type { Message } from '../../shared/messages/message.js';
import { upgradeError } from '../../shared/messages/upgrade-errors.js';
import { hashFile } from '../system/hash-file.js';
import { namesIn } from '../system/names-in.js';
import { InstallError } from './install-error.js';
import { type ProgramPaths, versionFolder } from './paths.js';
import { ArchiveError, unpackArchive } from './unpack.js';

const run = promisify(execFile);

/** Names of unfinished work in the folder of versions; no version begins with a dot. */
export const UNFINISHED = '.new-';
const REPLACED = '.old-';
export const DOWNLOAD = '.download-';

/** Must stay free besides the new version. */
const MARGIN_BYTES = 64 * 1024 ** 2;

/** Name of the top folder of the archive of a version. */
const topOf = (version: string) => `cidermill-host-agent-${version}`;

// A version begins with a digit: it becomes the name of a folder.
const ARCHIVE = /^cidermill-host-agent-(\d[0-9A-Za-z.-]*)-[a-z0-9]+-[a-z0-9_]+\.tar\.gz$/;

/** Returns the version in the name of an archive, or null. */
export const versionOfArchive = (file: string): string | null => ARCHIVE.exec(basename(file))?.[1] ?? null;

/** Returns why this process cannot install other versions; null if it can. */
export function whyNotWritable(paths: ProgramPaths): Message | null {
  for (const folder of [paths.root, paths.versions]) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      return upgradeError('not_writable', { folder, code: errnoOf(error) ?? 'unknown' });
    }
  }
  return null;
}

/**
 * Unpacks an archive beside the other versions and checks that its program runs. A version of the same name is replaced;
 * the current version does not change.
 *
 * @param given.sha256 expected checksum; null: not checked
 * @throws InstallError
 */
export async function installVersion(
  paths: ProgramPaths,
  given: { archive: string; version: string; sha256: string | null; checkMs: number; signal: AbortSignal },
): Promise<void> {
  const { version, signal } = given;
  const folder = join(paths.versions, `${UNFINISHED}${process.pid}`);
  try {
    await checkArchive(given.archive, given.sha256, signal);
    await checkRoom(paths, await unpackedBytes(given.archive));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    // Whatever the umask: others run it.
    chmodSync(folder, 0o755);
    await unpackArchive(given.archive, topOf(version), folder);
    signal.throwIfAborted();
    await checkProgram(folder, version, given.checkMs);
    moveIn(paths, folder, version);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (signal.aborted || error instanceof InstallError) throw error;
    if (error instanceof ArchiveError) throw new InstallError(error.message, 78, { cause: error });
    const code = errnoOf(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new InstallError(upgradeError('disk_full', { version }), 78, { cause: error });
    }
    throw error;
  }
}

/** @throws InstallError unless the archive has the checksum; null: not checked */
export async function checkArchive(archive: string, sha256: string | null, signal: AbortSignal): Promise<void> {
  if (sha256 === null) return;
  const handle = await open(archive, 'r');
  try {
    const actual = await hashFile(handle.fd, signal);
    if (actual !== sha256) {
      throw new InstallError(upgradeError('wrong_sha256', { file: basename(archive), actual, wanted: sha256 }));
    }
  } finally {
    await handle.close();
  }
}

/** Returns what a gzip file says in its last bytes: its content's length modulo 4 GiB. */
async function unpackedBytes(archive: string): Promise<number> {
  const handle = await open(archive, 'r');
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 4));
    return bytesRead === 4 ? buffer.readUInt32LE() : 0;
  } finally {
    await handle.close();
  }
}

/** @throws InstallError when the disk has no room for `bytes` more */
export async function checkRoom(paths: ProgramPaths, bytes: number): Promise<void> {
  const disk = await statfs(paths.versions);
  const free = disk.bavail * disk.bsize;
  if (free >= bytes + MARGIN_BYTES) return;
  const mb = (n: number) => `${Math.ceil(n / 1e6)} MB`;
  throw new InstallError(
    upgradeError('no_room', {
      free: mb(free),
      folder: paths.versions,
      needed: mb(bytes + MARGIN_BYTES),
    }),
  );
}

/** @throws InstallError when the program of the folder does not start on this machine, or is of another version */
async function checkProgram(folder: string, version: string, checkMs: number): Promise<void> {
  const named = z.object({ version: z.string() }).safeParse(readJson(join(folder, 'package.json'))).data;
  if (named?.version !== version) {
    throw new InstallError(upgradeError('wrong_version', { found: named?.version ?? 'unknown', wanted: version }));
  }
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };
  const options = { env, cwd: '/', timeout: checkMs, killSignal: 'SIGKILL', maxBuffer: 1024 ** 2 } as const;
  let said: string;
  try {
    said = (await run(join(folder, 'bin/cidermill'), ['--version'], options)).stdout.trim();
  } catch (error) {
    throw new InstallError(upgradeError('does_not_run', { version, reason: reasonOf(error) }), 78, {
      cause: error,
    });
  }
  if (said !== version) {
    throw new InstallError(upgradeError('says_other_version', { version, said: said.slice(0, 100) }));
  }
}

function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string };
  if (killed) return 'it did not print its version in time';
  const lines = (stderr ?? '').trim().split('\n');
  return (lines.find((line) => line !== '') ?? message).slice(0, 300);
}

/** Puts an unfinished version in its place, also if one of that name is there. */
export function moveIn(paths: ProgramPaths, folder: string, version: string): void {
  const place = versionFolder(paths, version);
  const old = join(paths.versions, `${REPLACED}${process.pid}`);
  const replaced = unless(['ENOENT'], () => renameSync(place, old) ?? true) === true;
  renameSync(folder, place);
  syncFolder(paths.versions);
  if (replaced) rmSync(old, { recursive: true, force: true });
}

/** Returns the current version; null if there is none. */
export function currentVersion({ current }: ProgramPaths): string | null {
  const target = unless(['ENOENT', 'EINVAL'], () => readlinkSync(current));
  return target === undefined ? null : basename(target);
}

/** Makes a version the current one. Takes effect when the agent starts next. */
export function makeCurrent(paths: ProgramPaths, version: string): void {
  if (!existsSync(versionFolder(paths, version))) throw new InstallError(`version ${version} is not installed`);
  const link = `${paths.current}.new`;
  rmSync(link, { force: true });
  symlinkSync(join('versions', version), link);
  renameSync(link, paths.current);
  syncFolder(paths.root);
}

/** Returns the installed versions. */
export function installedVersions({ versions }: ProgramPaths): string[] {
  return namesIn(versions)
    .filter((name) => !name.startsWith('.'))
    .sort();
}

/** Deletes all versions except `keep`. */
export function pruneVersions(paths: ProgramPaths, keep: readonly string[]): void {
  for (const name of installedVersions(paths)) {
    if (!keep.includes(name)) rmSync(versionFolder(paths, name), { recursive: true, force: true });
  }
}

/** Deletes what interrupted installations left, except the files named in `keep`. */
export function removeUnfinished({ versions }: ProgramPaths, keep: readonly string[] = []): void {
  for (const name of namesIn(versions)) {
    if (!name.startsWith('.') || keep.includes(name)) continue;
    rmSync(join(versions, name), { recursive: true, force: true });
  }
}
