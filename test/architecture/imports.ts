// Which file imports which, including imports of types alone.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';

const root = new URL('../../../', import.meta.url).pathname;

export interface Import {
  /** Path from the project's root. */
  readonly from: string;
  /** Path of the imported file or package from the root, e.g. `node_modules/zod/`; null: there is none. */
  readonly to: string | null;
  /** As in the source. */
  readonly name: string;
}

/** Returns the imports of all sources in the folders, without those of Node's modules. */
export function importsIn(folders: readonly string[]): Import[] {
  const below = (folder: string) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`);
  const files = new Set(folders.flatMap(below));
  return [...files]
    .filter((file) => /\.(c?ts|tsx)$/.test(file))
    .flatMap((from) =>
      namesIn(readFileSync(`${root}${from}`, 'utf8')).map((name) => ({
        from,
        to: name.startsWith('.')
          ? (sourcesOf(posix.join(posix.dirname(from), name)).find((path) => files.has(path)) ?? null)
          : packageOf(name),
        name,
      })),
    );
}

const namesIn = (source: string) =>
  ts
    .preProcessFile(source, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));

/** Returns the files that an import can mean: sources import each other under the names of the compiled files. */
const sourcesOf = (path: string) => [
  ...['.ts', '.tsx'].map((extension) => path.replace(/\.js$/, extension)),
  // What is not bundled, and what is.
  ...['.cts', '.ts'].map((extension) => path.replace(/\.cjs$/, extension)),
];

const installed = ['node_modules', 'node_modules/@types'].map(
  (folder) =>
    [
      folder,
      new Set(
        readdirSync(`${root}${folder}`).flatMap((name) =>
          name.startsWith('@') ? readdirSync(`${root}${folder}/${name}`).map((one) => `${name}/${one}`) : name,
        ),
      ),
    ] as const,
);

function packageOf(name: string): string | null {
  const wanted = /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
  const [folder] = installed.find(([, names]) => names.has(wanted)) ?? [];
  return folder === undefined ? null : `${folder}/${wanted}/`;
}

/** Returns cycles as files that import the next one; the last is the first again. */
export function cyclesIn(imports: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const imported = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    if (to !== null) imported.set(from, (imported.get(from) ?? new Set()).add(to));
  }
  const cycles: string[][] = [];
  const visited = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file]);
    if (visited.has(file)) return;
    visited.add(file);
    path.push(file);
    for (const next of imported.get(file) ?? []) visit(next);
    path.pop();
  };
  for (const file of imported.keys()) visit(file);
  return cycles;
}
