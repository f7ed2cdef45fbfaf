// Fixtures of the source step: an upload in memory, and inspection of a work folder.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Test } from 'tap';
import { BuildStepError } from '../../../host-agent/contract/build-step-error.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { type MaterializeInput, materialize } from '../../../host-agent/runner/source/materialize.js';
import type { SourceFetcher } from '../../../host-agent/runner/source/port.js';
import { removeTree } from '../../../host-agent/system/remove-tree.js';
import type { SourceFile, SourceManifest } from '../../../shared/protocol/index.js';
import { sha256 } from '../../harness/sha256.js';

/** Content of a file, or content and mode. */
export type Tree = Record<string, string | Buffer | { content: string | Buffer; mode: 0o644 | 0o755 }>;

export interface Upload {
  source: Extract<MaterializeInput['source'], { kind: 'upload' }>;
  manifest: SourceManifest;
  contents: Map<string, Buffer>;
}

export function upload(tree: Tree, more: { links?: SourceManifest['links']; directories?: string[] } = {}): Upload {
  const contents = new Map<string, Buffer>();
  const files = Object.entries(tree).map(([path, entry]): SourceFile => {
    const file = typeof entry === 'object' && 'mode' in entry ? entry : { content: entry, mode: 0o644 as const };
    const content = Buffer.from(file.content);
    contents.set(sha256(content), content);
    return { path, sha256: sha256(content), size: content.length, mode: file.mode };
  });
  const manifest = { files, links: more.links ?? [], directories: more.directories ?? [] };
  const source = {
    kind: 'upload' as const,
    upload_id: 'up_1',
    manifest_sha256: sha256(JSON.stringify(manifest)),
    files: files.length,
    total_bytes: files.reduce((sum, file) => sum + file.size, 0),
  };
  manifests.set(source.manifest_sha256, manifest);
  return { source, manifest, contents };
}

/** By SHA-256. */
const manifests = new Map<string, SourceManifest>();

/** Returns the files that have changed; null when other things have changed too. */
function changesOf(before: SourceManifest | undefined, now: SourceManifest): SourceFile[] | null {
  const names = ({ files, ...rest }: SourceManifest) => JSON.stringify([files.map(({ path }) => path), rest]);
  if (before === undefined || names(before) !== names(now)) return null;
  return now.files.filter((file, row) => JSON.stringify(file) !== JSON.stringify(before.files[row]));
}

export interface Served extends SourceFetcher {
  /** How many whole manifests it was asked for. */
  manifests: number;
  /** Paths of the files in each answer that named only changes. */
  changes: string[][];
  /** Hashes of each request. */
  asked: string[][];
}

/** Serves an upload in chunks of `piece` bytes, like a network. */
export function serve(from: Upload, piece = 1000): Served {
  const served: Served = {
    manifests: 0,
    changes: [],
    asked: [],
    async manifest() {
      served.manifests += 1;
      return structuredClone(from.manifest);
    },
    async manifestSince(signal, since) {
      const files = changesOf(manifests.get(since), from.manifest);
      if (files === null) return served.manifest(signal);
      served.changes.push(files.map(({ path }) => path));
      return { since, files: structuredClone(files) };
    },
    async blobs(hashes) {
      served.asked.push([...hashes]);
      return Readable.from(pieces(record(from, hashes), piece));
    },
  };
  return served;
}

export function record(from: Upload, hashes: readonly string[]): Buffer {
  return Buffer.concat(
    hashes.flatMap((hash) => {
      const content = from.contents.get(hash);
      if (!content) throw new Error(`nobody uploaded ${hash}`);
      return [Buffer.from(`${hash} ${content.length}\n`), content];
    }),
  );
}

export function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export interface Mac {
  root: string;
  work: string;
  said: string[];
  warned: string[];
  input(from: Upload, over?: Partial<MaterializeInput>): MaterializeInput;
  checkOut(from: Upload, over?: Partial<MaterializeInput>): ReturnType<typeof materialize>;
}

/** For tests with thousands of checkouts: a file system in memory, if there is one. */
export const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Creates a Mac's folders below a temporary folder (or below another Mac's, sharing its cache). */
export function createMac(t: Test, beside?: Mac, base = tmpdir()): Mac {
  const root = beside ? beside.root : realpathSync(mkdtempSync(join(base, 'cidermill-source-')));
  const name = beside ? `mac-${readdirSync(root).length}` : 'mac';
  if (!beside) t.teardown(() => removeTree(root, new AbortController().signal));
  mkdirSync(join(root, name));
  const said: string[] = [];
  const warned: string[] = [];
  const mac: Mac = {
    root,
    said,
    warned,
    work: join(root, name, 'work'),
    input: (from, over) => ({
      source: from.source,
      fetcher: serve(from),
      workDir: mac.work,
      stateDir: join(root, name, 'state'),
      cacheDir: join(root, 'cache'),
      cleanTree: false,
      gitToken: null,
      say: (line) => said.push(line),
      warn: ({ text }) => warned.push(text),
      signal: new AbortController().signal,
      limits: { ...defaultSourceLimits, retryBaseMs: 1, retryMaxMs: 2 },
      ...over,
    }),
    checkOut: (from, over) => materialize(mac.input(from, over)),
  };
  return mac;
}

/** Lists every path below a folder: `content`, `content +x`, `-> target`, `folder` (only empty ones), or `other`. */
export function look(root: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const walk = (folder: string) => {
    const names = readdirSync(join(root, folder));
    if (names.length === 0 && folder !== '') seen[folder] = 'folder';
    for (const name of names.sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const found = lstatSync(join(root, path));
      if (found.isDirectory()) walk(path);
      else if (found.isSymbolicLink()) seen[path] = `-> ${readlinkSync(join(root, path))}`;
      else if (!found.isFile()) seen[path] = 'other';
      else seen[path] = describe(readFileSync(join(root, path)), found.mode);
    }
  };
  walk('');
  return seen;
}

/** Returns what `look` returns for a folder with exactly this upload. */
export function expected(from: Upload): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const file of from.manifest.files) {
    seen[file.path] = describe(from.contents.get(file.sha256) ?? Buffer.alloc(0), file.mode);
  }
  for (const link of from.manifest.links) seen[link.path] = `-> ${link.target}`;
  for (const folder of from.manifest.directories) seen[folder] ??= 'folder';
  return seen;
}

function describe(content: Buffer, mode: number): string {
  const text = content.length > 200 ? `${content.length} bytes ${sha256(content)}` : content.toString();
  const permissions = mode & 0o7777;
  return permissions === 0o644 ? text : `${text} ${permissions === 0o755 ? '+x' : permissions.toString(8)}`;
}

/** Returns inode and modification time of every file, to detect what was touched. */
export function stamps(root: string, paths: Iterable<string>): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const path of paths) {
    const found = lstatSync(join(root, path), { bigint: true });
    seen[path] = `${found.ino} ${found.mtimeNs}`;
  }
  return seen;
}

/** Returns the failure of a checkout; throws if it does not fail. */
export async function failureOf(checkout: Promise<unknown>): Promise<BuildStepError> {
  try {
    await checkout;
  } catch (error) {
    if (error instanceof BuildStepError) return error;
    throw error;
  }
  throw new Error('the checkout succeeded');
}
