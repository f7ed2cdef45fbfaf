// The npm package of everything, with `dist`: what `npm pack` would put into it, in an archive with fixed times.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Package, writeArchive } from './archive.js';

/**
 * Writes `cidermill-VERSION.tgz` to the folder `out`.
 *
 * @param options.root the source tree, built
 */
export async function packageAll(options: { root: string; out: string; version: string }): Promise<Package> {
  const { root, out, version } = options;
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [packed]: { files: { path: string; mode: number }[] }[] = JSON.parse(stdout);
  const files = (packed?.files ?? [])
    .filter(({ path }) => !isLeftover(root, path))
    .map(({ path, mode }) => ({
      path,
      executable: (mode & 0o111) !== 0,
      content: readFileSync(join(root, path)),
    }));
  const name = `cidermill-${version}.tgz`;
  return { name, sha256: await writeArchive(join(out, name), 'package', files) };
}

/** Returns whether a compiled file has no source any more. */
function isLeftover(root: string, path: string): boolean {
  const [, module] = /^dist\/(.+?)(?:\.d)?\.(?:js|cjs|ts|cts)(?:\.map)?$/.exec(path) ?? [];
  if (module === undefined || /^(programs|control-plane\/console\/app)\/|^client\/cli\/start$/.test(module))
    return false;
  return !existsSync(join(root, `${module}.ts`)) && !existsSync(join(root, `${module}.cts`));
}
