// Writes a build's artifacts below a folder. Their names come from the build and are not trusted.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { BuildClient } from '../build-client.js';
import { CidermillError, unreachable } from '../cidermill-error.js';
import type { WorkspaceFile } from '../types.js';

const ATTEMPTS = 4;
const LONGEST_NAME_BYTES = 255;

export interface SavedArtifact extends WorkspaceFile {
  /** Absolute path; null when it was refused. */
  saved_to: string | null;
}

/** The folders and the name of an artifact below the target; null for a name that could lead elsewhere. */
export function safeParts(path: string): string[] | null {
  const parts = path.split('/');
  const harmless = parts.every(
    (part) =>
      part !== '' &&
      part !== '.' &&
      part !== '..' &&
      Buffer.byteLength(part) <= LONGEST_NAME_BYTES &&
      !/[\x00-\x1f\x7f\\]/.test(part) &&
      !(process.platform === 'win32' && /[:<>"|?*]|[. ]$/.test(part)),
  );
  return harmless ? parts : null;
}

/**
 * Downloads artifacts below `folder`, which is made if need be.
 *
 * A name that could escape, that passes through a symbolic link, or that equals another one on a file
 * system that folds case is refused and left to `onRefused`; each file appears whole or not at all.
 */
export async function saveArtifacts(
  client: BuildClient,
  buildId: string,
  artifacts: readonly WorkspaceFile[],
  folder: string,
  onRefused: (artifact: WorkspaceFile, reason: string) => void,
  signal?: AbortSignal,
): Promise<SavedArtifact[]> {
  mkdirSync(folder, { recursive: true });
  const root = realpathSync(resolve(folder));
  const taken = new Set<string>();
  const saved: SavedArtifact[] = [];
  for (const artifact of artifacts) {
    const path = artifact.path ?? artifact.name;
    const parts = safeParts(path);
    const folded = path.normalize('NFC').toLowerCase();
    let reason: string | null = null;
    if (!parts) reason = 'its name could lead out of the folder';
    else if (taken.has(folded)) reason = 'another artifact has the same name but for case';
    else if (!prepareFolders(root, parts)) reason = 'something that is no folder is in its way';
    taken.add(folded);
    if (reason !== null || !parts) {
      onRefused(artifact, reason ?? '');
      saved.push({ ...artifact, saved_to: null });
      continue;
    }
    const target = join(root, ...parts);
    await download(client, buildId, artifact, target, signal);
    saved.push({ ...artifact, saved_to: target });
  }
  return saved;
}

/** Makes the folders above a file; false when one of them is a link or a file, or the file is a folder. */
function prepareFolders(root: string, parts: string[]): boolean {
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat) mkdirSync(folder);
    else if (!stat.isDirectory()) return false;
  }
  return lstatSync(join(root, ...parts), { throwIfNoEntry: false })?.isDirectory() !== true;
}

async function download(
  client: BuildClient,
  buildId: string,
  artifact: WorkspaceFile,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // A new name in the target's own folder: nothing that is there is followed or half overwritten.
    const temporary = `${target.slice(0, target.lastIndexOf('/'))}/.cidermill-${randomBytes(8).toString('hex')}`;
    const fd = openSync(temporary, 'wx', 0o666);
    let bytes = 0;
    try {
      try {
        for await (const chunk of client.files.downloadArtifact(
          buildId,
          artifact.id,
          signal ? { signal } : {},
        )) {
          for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
          bytes += chunk.length;
        }
      } finally {
        closeSync(fd);
      }
      if (bytes !== artifact.bytes)
        throw unreachable(`${artifact.name} arrived with ${bytes} of ${artifact.bytes} bytes`);
      renameSync(temporary, target);
      return;
    } catch (error) {
      rmSync(temporary, { force: true });
      const again = error instanceof CidermillError && error.retryable && attempt < ATTEMPTS;
      if (!again) throw error;
    }
  }
}
