// The bundles of the programs.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const dist = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${dist}programs/`;
const bundles = readdirSync(folder).filter((name) => name.endsWith('.js'));
const text = (path: string) => readFileSync(path, 'utf8');

t.test('each program is an import of its bundle', async (t) => {
  for (const [entry, bundle] of [
    ['control-plane/main', '../programs/control-plane-main.js'],
    ['host-agent/main', '../programs/host-agent-main.js'],
    ['host-agent/runner/main', '../../programs/host-agent-runner-main.js'],
    ['client/cli/main', '../../programs/client-cli-main.js'],
  ]) {
    t.match(text(`${dist}${entry}.js`), new RegExp(`^(import|export .* from) '${bundle}';\\n$`));
  }
});

t.test('bundles load each other, modules of node and packages with native code, and nothing else', async (t) => {
  const imported = new Set<string>();
  for (const name of bundles) {
    // Bundles are not minified, so every import starts a line.
    for (const [, from = '', sideEffect = ''] of text(`${folder}${name}`).matchAll(
      /^(?:import|export|\} from)\b(?:[^'"\n]*from)? ?(?:"([^"\n]+)"|'([^'\n]+)');/gm,
    )) {
      imported.add(from || sideEffect);
    }
  }
  const others = [...imported].filter((name) => !isBuiltin(name));
  const [shared, packages] = [
    others.filter((name) => name.startsWith('./')),
    others.filter((name) => !name.startsWith('.')),
  ];
  t.same(
    shared.filter((name) => !bundles.includes(name.slice(2))),
    [],
    'all bundles exist',
  );
  t.ok(shared.length > 3, 'programs share code');
  t.same(packages.sort(), ['@node-rs/argon2', 'better-sqlite3', 'node-pty']);
});

t.test('no source module is in two bundles, so that no class exists twice', async (t) => {
  const places = new Map<string, string[]>();
  for (const name of bundles) {
    const { sources }: { sources: string[] } = JSON.parse(text(`${folder}${name}.map`));
    for (const source of sources) places.set(source, [...(places.get(source) ?? []), name]);
  }
  t.ok(places.has('../../control-plane/control-plane.ts'), 'the map names sources');
  t.same(
    [...places].filter(([, names]) => names.length > 1),
    [],
  );
});
