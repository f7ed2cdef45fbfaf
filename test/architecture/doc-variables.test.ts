// The pages of docs name only variables that a program reads.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';

const root = new URL('../../../', import.meta.url).pathname;
const filesIn = (folder: string, form: RegExp) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => form.test(path))
    .map((path) => `${folder}/${path}`);

t.test('every variable of the docs exists', async (t) => {
  const code = ['control-plane', 'host-agent', 'client', 'shared', 'tools', 'test/harness', 'test/soak'].flatMap(
    (folder) => filesIn(folder, /\.(ts|sh)$/),
  );
  // Recipes and samples read variables of their own.
  code.push(...filesIn('docs', /(\.ya?ml|\.env|\.service|Fastfile|\.rb|\.sh)$/));
  const read = code.map((path) => readFileSync(root + path, 'utf8')).join('\n');
  const known = new Set([
    ...(read.match(/\bCIDERMILL_[A-Z0-9_]+/g) ?? []),
    ...Object.keys(defaultLimits).map((name) => `CIDERMILL_${name.toUpperCase()}`),
  ]);
  const pages = ['README.md', 'SECURITY.md', ...filesIn('docs', /\.md$/), ...filesIn('launchd', /\.md$/)];
  t.ok(pages.length > 40, `${pages.length} pages`);
  for (const page of pages) {
    for (const [name] of readFileSync(root + page, 'utf8').matchAll(/\bCIDERMILL_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      t.ok(known.has(name), `${page}: ${name}`);
    }
  }
});
