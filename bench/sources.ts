// The source step alone: checkout of 10,000 uploaded files (54 MB), then with one changed, each in a new process as
// on the host; for comparison the minimum work to find changes, one lstat per file.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { defaultSourceLimits } from '../host-agent/limits.js';
import { materialize } from '../host-agent/runner/source/materialize.js';
import { type SourceManifest, sourceManifest } from '../shared/protocol/index.js';
import { median, print, ratio } from './report.js';

const files = 10_000;
const size = 5400;
const rounds = 9;

const [, , phase, root] = process.argv;
if (phase && root) await measure(phase, root);
else report();

function report(): void {
  const folder = mkdtempSync(join(tmpdir(), 'cm-sources-'));
  try {
    const manifest = {
      files: Array.from({ length: files }, (_, n) => fileOf(n, contentOf(n))),
      links: [],
      directories: [],
    };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const first = run('first', folder);
    const results = Array.from({ length: rounds }, () => ({
      changed: run('changed', folder),
      same: run('same', folder),
      lstat: run('lstat', folder),
    }));
    const of = (name: 'changed' | 'same' | 'lstat') => median(results.map((result) => result[name]));
    const base = of('lstat');
    print('sources: 10,000 files, 54 MB', [
      { name: 'lstat of each file', value: base, unit: 'ms', ratio: 1 },
      { name: 'the same upload again', value: of('same'), unit: 'ms', ratio: ratio(of('same'), base) },
      { name: 'one file changed', value: of('changed'), unit: 'ms', ratio: ratio(of('changed'), base) },
      { name: 'first build', value: first, unit: 'ms', ratio: null },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the milliseconds of one phase, in a child process. */
function run(name: string, folder: string): number {
  return Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name, folder], { encoding: 'utf8' }));
}

async function measure(name: string, folder: string): Promise<void> {
  const path = join(folder, 'manifest.json');
  const manifest = sourceManifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const fresh = new Map<string, Buffer>();
  if (name === 'first') for (const [n, file] of manifest.files.entries()) fresh.set(file.sha256, contentOf(n));
  if (name === 'changed') {
    const content = randomBytes(size);
    const file = fileOf(files >> 1, content);
    manifest.files[files >> 1] = file;
    fresh.set(file.sha256, content);
    writeFileSync(path, JSON.stringify(manifest));
  }
  const json = JSON.stringify(manifest);
  const started = performance.now();
  if (name === 'lstat') for (const file of manifest.files) lstatSync(join(folder, 'work', file.path));
  else await checkOut(folder, json, fresh);
  process.stdout.write(String(performance.now() - started));
}

async function checkOut(folder: string, json: string, contents: Map<string, Buffer>): Promise<void> {
  await materialize({
    source: {
      kind: 'upload',
      upload_id: 'up_bench',
      manifest_sha256: createHash('sha256').update(json).digest('hex'),
      files,
      total_bytes: files * size,
    },
    fetcher: {
      manifest: async () => JSON.parse(json) satisfies SourceManifest,
      blobs: async (hashes) =>
        Readable.from(
          hashes.map((hash) => {
            const content = contents.get(hash) ?? Buffer.alloc(0);
            return Buffer.concat([Buffer.from(`${hash} ${content.length}\n`), content]);
          }),
        ),
    },
    workDir: join(folder, 'work'),
    stateDir: join(folder, 'state'),
    cacheDir: join(folder, 'cache'),
    cleanTree: false,
    gitToken: null,
    say: () => {},
    warn: () => {},
    signal: new AbortController().signal,
    limits: defaultSourceLimits,
  });
}

function contentOf(n: number): Buffer {
  const seed = createHash('sha512').update(String(n)).digest();
  return Buffer.alloc(size, seed);
}

function fileOf(n: number, content: Buffer): SourceManifest['files'][number] {
  return {
    path: `Sources/Module${Math.floor(n / 100)}/Part${n % 7}/File${n}.swift`,
    sha256: createHash('sha256').update(content).digest('hex'),
    size: content.length,
    mode: 0o644,
  };
}
