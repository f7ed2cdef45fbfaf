// The packages in the folder of CIDERMILL_PACKAGES. The folder is read at every use, so that a new package needs no
// restart; a file is hashed once, and again when it changes.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../../shared/errno.js';
import type { Log } from '../../../shared/log.js';
import { compareVersions, type PackageFile, parsePackageName } from '../domain/package-file.js';

export type { PackageFile } from '../domain/package-file.js';

/** Must not be called inside a transaction: it reads files. */
export type Packages = ReturnType<typeof createPackages>;

/** What the publisher has signed: the service passes it on as it is. */
export interface SignedSums {
  /** Content of SHA256SUMS. */
  readonly sums: string;
  /** Content of SHA256SUMS.minisig. */
  readonly signature: string;
  /** Public key of minisign, without its comment. */
  readonly key: string;
}

export const SUMS = 'SHA256SUMS';
export const SIGNATURE = 'SHA256SUMS.minisig';
export const PUBLIC_KEY = 'cidermill.pub';
export const MAC = 'darwin-arm64';

/** @param options.built folder of the command line that was built last, offered until one is published; null: none */
export function createPackages(options: { folder: string; built?: string | null; log: Log }) {
  const { folder, built = null, log } = options;
  /** Hashes by file and its size and times. */
  const hashes = new Map<string, Promise<string>>();
  const reported = new Set<string>();
  const report = (name: string, problem: string) => {
    if (reported.has(`${name} ${problem}`)) return;
    reported.add(`${name} ${problem}`);
    log.error({ folder, name }, `package ${name} is not served: ${problem}`);
  };

  const hashOf = async (file: string): Promise<{ bytes: number; sha256: string } | null> => {
    const found = await stat(file);
    if (!found.isFile()) return null;
    const key = [file, found.size, found.mtimeMs, found.ctimeMs, found.ino].join(' ');
    let hashing = hashes.get(key);
    if (!hashing) {
      for (const other of hashes.keys()) if (other.startsWith(`${file} `)) hashes.delete(other);
      hashing = hash(file);
      hashes.set(key, hashing);
      hashing.catch(() => hashes.delete(key));
    }
    return { bytes: found.size, sha256: await hashing };
  };

  const read = async (folder: string, name: string, expected: string | undefined): Promise<PackageFile | null> => {
    const parsed = parsePackageName(name);
    if (parsed === null) return null;
    if (expected === undefined) {
      report(name, `${SUMS} does not list it`);
      return null;
    }
    const file = join(folder, name);
    const actual = await hashOf(file).catch((error: unknown) => {
      if (!isErrno(error, 'ENOENT')) report(name, error instanceof Error ? error.message : String(error));
      return null;
    });
    if (actual === null) return null;
    if (actual.sha256 !== expected) {
      report(name, `its SHA-256 is ${actual.sha256}, and ${expected} in ${SUMS}`);
      return null;
    }
    return { ...parsed, ...actual, name, file };
  };

  const allIn = async (folder: string): Promise<PackageFile[]> => {
    const names = (await unlessMissing(readdir(folder))) ?? [];
    const sums = parseSums((await unlessMissing(readFile(join(folder, SUMS), 'utf8'))) ?? '');
    const files: PackageFile[] = [];
    for (const name of names.sort()) {
      const file = await read(folder, name, sums.get(name));
      if (file) files.push(file);
    }
    return files.sort((a, b) => compareVersions(b.version, a.version));
  };
  const all = async (): Promise<PackageFile[]> => {
    const files = await allIn(folder);
    if (built === null || files.some(({ kind }) => kind === 'cli')) return files;
    return [...files, ...(await allIn(built))];
  };
  const signed = async (): Promise<SignedSums | null> => {
    const read = (name: string) => unlessMissing(readFile(join(folder, name), 'utf8'));
    const [sums, signature, key] = await Promise.all([SUMS, SIGNATURE, PUBLIC_KEY].map(read));
    const text = /^[A-Za-z0-9+/=]{56}$/.exec(key?.trim().split('\n').at(-1)?.trim() ?? '')?.[0];
    return sums == null || signature == null || text === undefined ? null : { sums, signature, key: text };
  };
  return {
    /** Returns all packages whose content has the checksum in SHA256SUMS; the newest first. */
    all,
    /** Returns null when the packages are not signed. */
    signed,
    find: async (name: string): Promise<PackageFile | null> => (await all()).find((file) => file.name === name) ?? null,
    /**
     * Returns a package of the host agent, or null if there is none.
     *
     * @param wanted.version default: the newest
     * @param wanted.platform default: `darwin-arm64`
     */
    async hostAgent({ version, platform = MAC }: { version?: string; platform?: string } = {}) {
      const fits = (file: PackageFile) =>
        file.kind === 'host-agent' && file.platform === platform && (version === undefined || file.version === version);
      return (await all()).find(fits) ?? null;
    },
  };
}

/** Returns checksums by name, of lines as `sha256sum` writes them. */
function parseSums(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64}) [ *](\S+)$/.exec(line.trimEnd()));
  return new Map(lines.flatMap((match) => (match?.[1] && match[2] ? [[match[2], match[1]]] : [])));
}

async function hash(file: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) sum.update(piece);
  return sum.digest('hex');
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
