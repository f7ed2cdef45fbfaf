// The package of the command line: the client alone, in files that node runs as they are. It has no dependencies, so that
// `npm install -g FILE` and a folder that it is unpacked to both work, also without a registry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { besideModule, ownAddresses } from '../bundle/plugins.js';
import { forNode } from '../bundle/programs.js';
import { bundleStart } from '../bundle/start.js';
import { type ArchiveFile, type Package, textFile, writeArchive } from './archive.js';
import { noticeOf, noticesText, packagesIn } from './notices.js';

/**
 * Writes `cidermill-cli-VERSION.tgz` to the folder `out`.
 *
 * @param options.root the source tree, with node_modules and a compiled `dist`
 */
export async function packageClient(options: { root: string; out: string; version: string }): Promise<Package> {
  const { root, out, version } = options;
  const main = await bundle(root, 'client/cli/main');
  const worker = await bundle(root, 'client/files/hash-worker');
  const start = await bundleStart(root, { write: false, plugins: [withoutService(root)] });
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { engines, license, description } = JSON.parse(read('package.json'));
  const manifest = {
    name: 'cidermill-cli',
    version,
    description,
    license,
    engines,
    type: 'module',
    bin: { cidermill: 'dist/client/bin.cjs' },
  };
  const files: ArchiveFile[] = [
    textFile('dist/client/bin.cjs', read('dist/client/bin.cjs').replace(/^\/\/# source.*$/m, ''), true),
    textFile('dist/client/cli/start.cjs', start),
    textFile('dist/client/cli/main.js', main.code),
    textFile('dist/client/files/hash-worker.js', worker.code),
    textFile('LICENSE', read('LICENSE')),
    textFile('NOTICES', noticesText(main.packages.map((name) => noticeOf(root, name)))),
    textFile('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
  ];
  const name = `cidermill-cli-${version}.tgz`;
  return { name, sha256: await writeArchive(join(out, name), 'package', files) };
}

/** Bundles a module for the place of its compiled file, with everything that it imports. */
async function bundle(root: string, entry: string): Promise<{ code: string; packages: string[] }> {
  const outputs = join(root, 'dist');
  const outfile = join(outputs, `${entry}.js`);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`${entry}.ts`],
    outfile,
    ...forNode,
    write: false,
    plugins: [withoutService(root), ownAddresses(root, outputs, besideModule(join(outfile, '..')))],
  });
  return { code: outputFiles[0]?.text ?? '', packages: packagesIn(metafile) };
}

/** Replaces what needs a service on this machine. `admin` works on a service elsewhere. */
const withoutService = (root: string): Plugin => ({
  name: 'without service',
  setup({ onResolve }) {
    for (const name of ['programs', 'open-here', 'move-here', 'verify-here']) {
      const path = join(root, `tools/package/elsewhere/${name}.ts`);
      onResolve({ filter: new RegExp(`/${name}\\.js$`) }, ({ importer }) =>
        importer.startsWith(join(root, 'tools/')) ? null : { path },
      );
    }
  },
});
