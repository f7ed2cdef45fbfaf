// Collects what a build put into CIDERMILL_ARTIFACTS. By now none of its processes is left, but every name and every
// link in there is of its making.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import type { ArtifactReport } from '../../shared/protocol/index.js';
import { isErrno } from '../durable-file.js';

const LONGEST_NAME_BYTES = 1024;
// macOS ends paths at 1,024 bytes, the last name of up to 255 included.
const LONGEST_PATH_BYTES = 1023 - 256;
const SLASH = Buffer.from('/');

export interface CollectOptions {
  from: string;
  /** Gets one file per artifact, named by its number in the result. */
  to: string;
  limits: { max_files: number; max_bytes: number };
  /** Removes secrets from a name. */
  maskText(text: string): string;
  /** Names of the secrets whose values a file holds. */
  scanFile(file: string): Promise<readonly string[]>;
}

export interface Collected {
  artifacts: ArtifactReport[];
  warnings: string[];
}

interface Found {
  path: Buffer;
  name: string;
  bytes: number;
  links: number;
}

/**
 * Regular files only, in order of their names, as far as the limits allow. Links are left out, whatever they point
 * to. What is left out, and what holds a secret, is said in the warnings.
 */
export async function collectArtifacts(options: CollectOptions): Promise<Collected> {
  const { files, others } = await listFiles(options.from, options.maskText);
  const artifacts: ArtifactReport[] = [];
  const warnings: string[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  let tooMany = 0;
  if (files.length > 0) await mkdir(options.to, { recursive: true, mode: 0o700 });
  for (const file of files) {
    if (artifacts.length >= options.limits.max_files || bytes + file.bytes > options.limits.max_bytes) {
      tooMany++;
      continue;
    }
    const kept = path.join(options.to, String(artifacts.length));
    await keep(file, kept);
    const name = freeName(file.name, taken);
    artifacts.push({ name, ...(await measure(kept)) });
    bytes += file.bytes;
    for (const secret of await options.scanFile(kept)) {
      warnings.push(`The artifact ${name} holds the value of the secret ${secret}.`);
    }
  }
  if (tooMany > 0) {
    const { max_files, max_bytes } = options.limits;
    warnings.push(
      `${tooMany} of ${files.length} artifacts were left out: a build may keep ${max_files} files and ${max_bytes} bytes.`,
    );
  }
  if (others > 0) {
    warnings.push(
      `${others} entries of CIDERMILL_ARTIFACTS were left out: only regular files are kept, no links, not too deep.`,
    );
  }
  return { artifacts, warnings };
}

/** Names may be no UTF-8, so paths stay bytes. The folder itself may have been replaced by a link. */
async function listFiles(
  root: string,
  maskText: (text: string) => string,
): Promise<{ files: Found[]; others: number }> {
  const files: Found[] = [];
  let others = 0;
  const top = await lstat(root).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  });
  if (!top?.isDirectory()) return { files, others: top ? 1 : 0 };
  const waiting = [{ path: Buffer.from(root), name: '' }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (folder.path.length > LONGEST_PATH_BYTES) {
      others++;
      continue;
    }
    // A folder that nobody may write to would not let its files go.
    await chmod(folder.path, 0o700);
    for (const entry of await readdir(folder.path, { encoding: 'buffer', withFileTypes: true })) {
      const full = Buffer.concat([folder.path, SLASH, entry.name]);
      const name = `${folder.name}${folder.name && '/'}${entry.name.toString('utf8')}`;
      if (entry.isDirectory()) {
        waiting.push({ path: full, name });
      } else if (entry.isFile()) {
        const { size, nlink } = await lstat(full);
        files.push({ path: full, name: printable(maskText(name)), bytes: size, links: nlink });
      } else {
        others++;
      }
    }
  }
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, others };
}

async function keep(file: Found, to: string): Promise<void> {
  // Another name of the same file may lie in the work folder, where the next build would change it.
  if (file.links === 1) return rename(file.path, to);
  await copyFile(file.path, to, constants.COPYFILE_FICLONE);
}

async function measure(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  await chmod(file, 0o600);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Control characters have no place in a name that is shown; too long a name keeps its end, which says the type.
 * Comes after masking: half a secret is not found.
 */
function printable(name: string): string {
  const clean = name.replace(/[\u0000-\u001f\u007f]/g, '\ufffd');
  if (Buffer.byteLength(clean) <= LONGEST_NAME_BYTES) return clean;
  return `…${Buffer.from(clean)
    .subarray(-(LONGEST_NAME_BYTES - 8))
    .toString('utf8')
    .replace(/^\ufffd+/, '')}`;
}

/** Two names may become one by masking. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name} (${n})`;
  taken.add(free);
  return free;
}
