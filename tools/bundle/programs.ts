// Bundles the programs that start as processes: control plane, host agent, build process, and the commands that are not
// the client's. See docs/adr/0026-one-file-for-the-clients-commands.md.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { besideModule, ownAddresses } from './plugins.js';

export interface Programs {
  /** Entry modules, with their exports. */
  readonly entries: Readonly<Record<string, string>>;
  /** The folder of the bundles, relative to that of the compiled modules. */
  readonly folder: string;
}

export const programs: Programs = {
  entries: {
    'control-plane/main': '',
    'host-agent/main': '',
    'host-agent/runner/main': '',
    'client/cli/main': '{ main }',
  },
  folder: 'programs',
};

/** Processes that tests start, some of them many times. */
export const testPrograms: Programs = {
  entries: {
    'test/builds/log-append-child': '',
    'test/events/outbox-child': '',
    'test/host-agent/runner/daemon': '',
    'test/host-agent/runner/source-child': '',
    'test/payments/paying-child': '',
    'test/uploads/blob-intake-child': '',
  },
  folder: 'test/programs',
};

/** These load native code by a path next to their own files. */
const native = ['better-sqlite3', 'node-pty', '@node-rs/argon2'];

/** Options of esbuild for modules of Node with what they import. */
export const forNode = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // CommonJS packages need `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  legalComments: 'eof',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Writes the bundles to their folder in `outputs`, with shared code in separate files, so that no class exists twice in one
 * process. Replaces each compiled entry with an import of its bundle.
 *
 * @param sources absolute path of the folder that `outputs` mirrors
 * @param outputs absolute path of the compiled modules
 */
export async function bundlePrograms(
  sources: string,
  outputs: string,
  { entries, folder: name }: Programs,
): Promise<void> {
  const folder = join(outputs, name);
  const nameOf = (entry: string) => entry.replaceAll('/', '-');
  const { metafile } = await build({
    absWorkingDir: sources,
    entryPoints: Object.fromEntries(Object.keys(entries).map((entry) => [nameOf(entry), `${entry}.ts`])),
    outdir: folder,
    ...forNode,
    splitting: true,
    chunkNames: 'shared-[hash]',
    external: native,
    sourcemap: true,
    sourcesContent: false,
    plugins: [ownAddresses(sources, outputs, besideModule(folder))],
  });
  const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(join(folder, name));
  for (const [entry, exported] of Object.entries(entries)) {
    const file = join(outputs, `${entry}.js`);
    const bundle = relative(dirname(file), join(folder, `${nameOf(entry)}.js`));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, exported ? `export ${exported} from '${bundle}';\n` : `import '${bundle}';\n`);
    rmSync(`${file}.map`, { force: true });
  }
}
