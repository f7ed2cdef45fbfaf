// Collects the artifacts of a build from CIDERMILL_ARTIFACTS. All its processes have ended, but every name and
// every link in the folder is of its making.
import { createHash, hash } from 'node:crypto';
import { chmodSync, closeSync, constants, openSync, readFileSync, renameSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { archiveNameOf } from '../../shared/archive/bundle.js';
import { buildWarning } from '../../shared/messages/build-warnings.js';
import type { Message } from '../../shared/messages/message.js';
import { badArtifactName, LONGEST_ARTIFACT_NAME, plainName } from '../../shared/paths/artifact-name.js';
import type { ArtifactReport } from '../../shared/protocol/index.js';
import { createLeftOut, firstArtifacts, type LeftOut } from '../contract/artifact-warnings.js';
import type { CollectedFolder } from '../driver/build-mac.js';
import { takeTurns } from '../system/turns.js';
import { BundleTooLargeError, packBundle } from './artifact-bundle.js';
import { type Found, type FoundFile, listArtifacts } from './artifact-listing.js';

/** Files up to this size, in bytes, are read at once. */
const SMALL_FILE = 256 * 1024;
const FILES_PER_TURN = 16;

export interface CollectOptions {
  from: string;
  /** What was left out before. */
  before?: Pick<CollectedFolder, 'leftOut' | 'cut'>;
  /** Gets one file per artifact, named by its number in the result. */
  to: string;
  limits: { max_files: number; max_bytes: number; max_bundle_entries: number };
  /** Returns a name with its secrets masked. */
  maskText(text: string): string;
  /** Returns the names of the secrets whose values a file contains. */
  scanFile(file: string | Buffer): Promise<readonly string[]>;
  scanBytes(content: Buffer): readonly string[];
  /** Aborts the collection; collected artifacts are kept. */
  signal: AbortSignal;
}

export interface Collected {
  artifacts: ArtifactReport[];
  warnings: Message[];
}

interface Kept {
  bytes: number;
  sha256: string;
  secrets: readonly string[];
}

/**
 * Collects files and bundles in order of their names, within the limits. A link to a file inside the folder is kept
 * as that file. Warnings name what is left out and what contains a secret.
 */
export async function collectArtifacts(options: CollectOptions): Promise<Collected> {
  const { limits, signal } = options;
  const show = (name: string) => printable(options.maskText(name));
  const leftOut = createLeftOut(show);
  const found = (await listed(options, leftOut))
    .map((one) => ({ one, name: show(one.kind === 'bundle' ? archiveNameOf(one.name) : one.name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const artifacts: ArtifactReport[] = [];
  const secretWarnings: Message[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  let tooMany = 0;
  const { leftOut: missing, cut } = options.before ?? { leftOut: [], cut: false };
  for (const { name, reason } of missing) {
    if (reason === 'size') tooMany++;
    else leftOut.add(reason, name);
  }
  const beyond = tooMany;
  let done = 0;
  if (found.length > 0) await mkdir(options.to, { recursive: true, mode: 0o700 });
  const turn = takeTurns(undefined, FILES_PER_TURN);
  for (const { one, name } of found) {
    await turn();
    if (signal.aborted) break;
    done++;
    if (badArtifactName(name) !== null) {
      leftOut.add('name', one.name);
      continue;
    }
    const left = limits.max_bytes - bytes;
    const to = path.join(options.to, String(artifacts.length));
    const kept = artifacts.length < limits.max_files ? await unlessHalted(keep(one, to, left), signal) : null;
    if (kept === 'halted') {
      done--;
      break;
    }
    if (kept === null) {
      tooMany++;
      continue;
    }
    const free = freeName(name, taken);
    const executable = one.kind === 'file' && one.executable;
    artifacts.push({
      name: free,
      bytes: kept.bytes,
      sha256: kept.sha256,
      ...(executable ? { executable } : {}),
    });
    bytes += kept.bytes;
    for (const secret of kept.secrets) {
      secretWarnings.push(buildWarning('artifact_holds_secret', { name: free, secret }));
    }
  }
  return { artifacts, warnings: warnings() };

  /** Returns null when it exceeds the limit. */
  function keep(one: Found, to: string, maxBytes: number): Promise<Kept | null> {
    return one.kind === 'bundle'
      ? keepBundle(one, to, maxBytes, { ...options, show, leftOut })
      : keepFile(one, to, maxBytes, options);
  }

  function warnings(): Message[] {
    const all = firstArtifacts(secretWarnings, 'more_artifacts_hold_secrets');
    if (tooMany > 0) {
      const { max_files, max_bytes } = limits;
      const parts = { part: tooMany, count: found.length + beyond };
      all.push(buildWarning('artifacts_beyond_limit', { ...parts, max_files, max_bytes }));
    }
    if (cut) all.push(buildWarning('too_many_artifacts'));
    const halted = found.length - done;
    if (signal.aborted && halted > 0) {
      all.push(buildWarning('artifacts_not_collected', { part: halted, count: found.length }));
    }
    return [...all, ...leftOut.warnings()];
  }
}

/** Returns an empty list when the build is stopped before all have been found. */
async function listed({ from, signal }: CollectOptions, leftOut: LeftOut): Promise<Found[]> {
  const found = await unlessHalted(listArtifacts(from, leftOut, signal), signal);
  return found === 'halted' ? [] : found;
}

/** Returns the result of `work`, or 'halted' when it fails after the signal was aborted. */
async function unlessHalted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'halted'> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return 'halted';
    throw error;
  }
}

async function keepBundle(
  { path: bundle, name }: Found,
  to: string,
  maxBytes: number,
  options: CollectOptions & { show(name: string): string; leftOut: LeftOut },
): Promise<Kept | null> {
  const { limits, show, scanFile, leftOut, signal } = options;
  try {
    const maxEntries = limits.max_bundle_entries;
    return await packBundle(bundle, name, { to, maxBytes, maxEntries, show, scanFile, leftOut, signal });
  } catch (error) {
    await rm(to, { force: true });
    if (error instanceof BundleTooLargeError) return null;
    throw error;
  }
}

async function keepFile(
  file: FoundFile,
  to: string,
  maxBytes: number,
  { scanFile, scanBytes, signal }: CollectOptions,
): Promise<Kept | null> {
  if (file.bytes > maxBytes) return null;
  if (file.shared) await copyFile(file.path, to, constants.COPYFILE_FICLONE);
  else renameSync(file.path, to);
  if (file.bytes <= SMALL_FILE) {
    const content = readSmall(to);
    return { bytes: content.length, sha256: hash('sha256', content, 'hex'), secrets: scanBytes(content) };
  }
  const measured = await measure(to, signal);
  return { ...measured, secrets: await scanFile(to) };
}

/** Synchronous: a build may leave thousands of them, and an asynchronous call costs more than reading the file. */
function readSmall(file: string): Buffer {
  chmodSync(file, 0o600);
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

async function measure(file: string, signal: AbortSignal): Promise<{ bytes: number; sha256: string }> {
  const sum = createHash('sha256');
  let bytes = 0;
  await chmod(file, 0o600);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024, signal })) {
      sum.update(chunk);
      bytes += chunk.length;
    }
  } finally {
    await handle.close();
  }
  return { bytes, sha256: sum.digest('hex') };
}

/**
 * Replaces characters that are not allowed in a name, and cuts the beginning of a name that is too long: its end has the
 * extension. To be called after masking, because the masker does not find half a secret.
 */
function printable(name: string): string {
  const clean = plainName(name);
  if (Buffer.byteLength(clean) <= LONGEST_ARTIFACT_NAME) return clean;
  return `…${Buffer.from(clean)
    .subarray(-(LONGEST_ARTIFACT_NAME - 8))
    .toString('utf8')
    .replace(/^\ufffd+/, '')}`;
}

/** Returns a unique name: two names may become equal by masking. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name} (${n})`;
  taken.add(free);
  return free;
}
