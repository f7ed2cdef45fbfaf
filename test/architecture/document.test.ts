// What ARCHITECTURE.md says of files, capabilities and layers is so.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { capabilities, layers } from './capabilities.js';

const root = new URL('../../../', import.meta.url).pathname;
const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** Folders from which the document names files. */
const bases = ['', 'control-plane', 'host-agent', 'control-plane/console', 'host-agent/daemon'];

/** Rows and paragraphs: a name without its folder belongs to a folder that the same one names. */
const texts = document.replace(/^```[\s\S]*?^```/gm, '').split(/\n(?=\||\n|\d\. )/);

/** Paths, names of files, and links; patterns such as `<noun>-view.ts`, packages and addresses are none. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name);
  const linked = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, name = '']) => name);
  return [
    ...quoted.filter((name) => /[\w-]\/$|\.(?:tsx?|mjs|md|snapshot)$|^[\w-]+(?:\/[\w-]+)+$/.test(name)),
    ...linked,
  ].filter((name) => !/[<>…*{}@:]|^https?:/.test(name));
}

const placesOf = (path: string) =>
  bases.flatMap((base) => ['', '.ts'].map((end) => join(root, base, path) + end)).filter(existsSync);

const everywhere = ['control-plane', 'host-agent', 'client', 'shared', 'tools', 'test', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(root, folder, path)),
);

/** Returns the names that lead nowhere. */
function missingIn(text: string): string[] {
  const names = pathsIn(text);
  const folders = names
    .flatMap(placesOf)
    .flatMap((place) => [place, dirname(place), dirname(dirname(place))].map((one) => `${one}/`));
  // The layers, which are in many capabilities.
  if (folders.length === 0) folders.push(join(root, 'control-plane/'));
  const isBeside = (name: string) =>
    everywhere.some((path) => path.endsWith(`/${name}`) && folders.some((folder) => path.startsWith(folder)));
  return names.filter((name) => placesOf(name).length === 0 && !isBeside(name.replace(/\/$/, '')));
}

t.test('every file that ARCHITECTURE.md names exists', async (t) => {
  t.ok(texts.flatMap(pathsIn).length > 200, 'the names are found');
  t.same(texts.flatMap(missingIn), []);
  const globs = [...document.matchAll(/`([\w/-]+)\*\.ts`/g)].map(([, start = '']) => `/${start}`);
  t.same(
    globs.filter((start) => !everywhere.some((path) => path.includes(start))),
    [],
  );
  t.same(missingIn('`builds/app/build-runs.ts`, `build-runs.ts`, `gone.ts`; `builds/gone/`; [ADR](docs/adr/gone.md)'), [
    'gone.ts',
    'builds/gone/',
    'docs/adr/gone.md',
  ]);
});

t.test('every function and field that ARCHITECTURE.md names is declared', async (t) => {
  const code = everywhere.filter((path) => /\.tsx?$/.test(path)).map((path) => readFileSync(path, 'utf8'));
  const isDeclared = (name: string) =>
    code.some((text) => new RegExp(`\\b(?:function|const|readonly) ${name}\\b|^  ${name}\\(`, 'm').test(text));
  const names = [...document.matchAll(/`([a-z]+[A-Z]\w*)(?:\([^`]*\))?`/g)].map(([, name = '']) => name);
  t.ok(names.length > 6, 'the names are found');
  t.same(
    names.filter((name) => !isDeclared(name)),
    [],
  );
});

t.test('every invariant names the tests that hold it', async (t) => {
  const section = document.slice(document.indexOf('## Invariants'), document.indexOf('## State in the memory'));
  const invariants = section.split('\n\n').filter((text) => text.startsWith('**Invariant: '));
  t.ok(invariants.length > 12, 'the search finds them');
  for (const text of invariants) {
    const [title = ''] = text.split('\n');
    const tests = [...text.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    t.not(tests.length, 0, title);
    for (const path of tests) t.ok(existsSync(join(root, path)), path);
  }
});

/** Words of a name or path, without the plural: `/builds/:build_id/log` has `build` and `log`. */
const stems = (name: string) =>
  (name.replaceAll(/:\w+/g, '').match(/[a-z]+/g) ?? []).map((word) => word.replace(/s$/, ''));

/** Matches in each file of HTTP routes, by the name of the file. */
function inRouteFiles(callers: string, pattern: RegExp): Map<string, string[]> {
  const named = new RegExp(`/control-plane/\\w+/http/(?:${callers})-[\\w-]+\\.ts$`);
  return new Map(
    everywhere
      .filter((path) => named.test(path))
      .map((path) => [
        path.slice(path.lastIndexOf('/') + 1),
        [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, found = '']) => found),
      ]),
  );
}

/** Those of which no word is in the name of their file, which the document does not name either. */
const misplaced = (byFile: ReadonlyMap<string, readonly string[]>) =>
  [...byFile].flatMap(([file, found]) => {
    const words = stems(file.replace(/^\w+-|\.ts$/g, ''));
    const isOfFile = (one: string) => stems(one).some((stem) => words.some((word) => word.startsWith(stem)));
    return document.includes(`${file}\``) ? [] : found.filter((one) => !isOfFile(one));
  });

t.test('the file of a route is named for its caller and its noun, or is in the table', async (t) => {
  const paths = inRouteFiles('api|console|operator', /^ +path: '([^']+)',$/gm);
  t.ok([...paths.values()].flat().length > 100, 'the paths are found');
  t.same(misplaced(paths), []);
  t.same(misplaced(new Map([['operator-orders.ts', ['/v1/orders/:order_no', '/v1/waitlist']]])), ['/v1/waitlist']);
});

t.test('so is the file of a change that operators make', async (t) => {
  const names = inRouteFiles('operator', /^ {2}name: '([^']+)',$/gm);
  t.ok([...names.values()].flat().length > 35, 'the names are found');
  t.same(misplaced(names), []);
});

t.test('what runs in the background is in `workers/`', async (t) => {
  const found = everywhere
    .filter((path) => /\/control-plane\/(?!console\/).*\.ts$/.test(path))
    .filter((path) => /\bpurge\(deps\b|^\s+(?:wakeOn: \[|periodMs:)/m.test(readFileSync(path, 'utf8')))
    .map((path) => path.slice(root.length));
  t.ok(found.length > 8, 'the search finds what it looks for');
  t.same(
    found.filter((path) => !path.includes('/workers/')),
    [],
  );
});

t.test('every decision is linked from a page about its subject, and every link leads somewhere', async (t) => {
  const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md'].concat(
    readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `docs/${path}`),
  );
  const linked = new Map<string, string[]>();
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)/g)) {
      if (/^(?:https?|mailto):/.test(target)) continue;
      const path = join(dirname(page), target);
      t.ok(existsSync(join(root, path)), `${page}: ${target}`);
      linked.set(path, [...(linked.get(path) ?? []), page]);
    }
  }
  for (const decision of pages.filter((page) => page.startsWith('docs/adr/'))) {
    const from = (linked.get(decision) ?? []).filter((page) => page !== decision);
    t.not(from.length, 0, `${decision} is linked`);
  }
});

/** The cells of a table's rows, by the folder in their first cell. */
function tableWith(header: string): Map<string, string[]> {
  const from = document.indexOf(header);
  if (from < 0) throw new Error(`no table ${header}`);
  const rows = document.slice(from).split('\n\n')[0]?.split('\n').slice(2) ?? [];
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return new Map(cells.map(([first = '', ...rest]) => [first.replaceAll(/[`/]/g, ''), rest]));
}

const listed = (names: readonly string[]) => (names.length === 0 ? '' : names.map((name) => `\`${name}\``).join(', '));

t.test('the table of capabilities in the document equals the one in capabilities.ts', async (t) => {
  const rows = tableWith('| `control-plane/…` | holds | may know |');
  const knownBy = new Map(capabilities.map(({ name, knows }) => [name, knows]));
  /** `macs, uploads and below` is both and what they know. */
  const meant = (cell: string): string[] => {
    if (cell === 'all') return capabilities.map(({ name }) => name).filter((name) => name !== 'platform');
    if (cell === 'none of the others' || cell === 'platform') return [];
    const named = cell.replace(' and below', '').split(', ');
    return cell.endsWith(' and below') ? named.flatMap((name) => [name, ...(knownBy.get(name) ?? [])]) : named;
  };
  for (const { name, knows } of capabilities) {
    const [, cell = 'the table lacks it'] = rows.get(name) ?? [];
    const said = new Set(meant(cell).filter((one) => one !== name));
    t.same([...said].sort(), [...new Set(knows.filter((one) => one !== name))].sort(), `${name}: ${cell}`);
  }
});

t.test('the table of layers in the document equals the one in capabilities.ts', async (t) => {
  const rows = tableWith('| layer | holds | may import from its own capability |');
  for (const { folders, own, platform, known, more } of layers) {
    const [, ...cells] = rows.get(folders.join(', ')) ?? [];
    t.same(cells, [listed(own), listed(platform), listed(known), more?.called ?? ''], folders.join(', '));
  }
  t.equal(rows.size, layers.length);
});

t.test('no barrels except the four public ones, no folders of leftovers', async (t) => {
  const sources = everywhere.filter((path) => /\.tsx?$/.test(path) && !path.startsWith(join(root, 'test/')));
  /** A file that only exports what it imports from others. */
  const isBarrel = (path: string) => {
    const code = readFileSync(path, 'utf8').replace(/^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)$/gm, '');
    return code.trim() !== '' && code.replace(/^export (?:type )?(?:\*|\{[^}]*\}) from '[^']+';$/gm, '').trim() === '';
  };
  t.same(
    sources
      .filter(isBarrel)
      .map((path) => path.slice(root.length))
      .sort(),
    ['client/index.ts', 'control-plane/index.ts', 'host-agent/index.ts', 'shared/protocol/index.ts'],
  );
  t.same(
    everywhere.filter((path) => /\/(?:utils?|helpers?)(?:\/|\.tsx?$)/.test(path)),
    [],
  );
});
