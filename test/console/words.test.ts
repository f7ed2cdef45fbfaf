// Texts of the console: none is left over after a change of its page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = new URL('../../../control-plane/console/', import.meta.url);

interface Texts {
  readonly words?: { readonly en: object };
}

t.test('every text of a page is used', async (t) => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const isWords = (path: string) => /(^|\/)words\.ts$/.test(path);
  const code = files
    .filter((path) => !isWords(path))
    .map((path) => readFileSync(join(root.pathname, path), 'utf8'))
    .join('\n');
  const used = new Set(code.match(/\b\w+\b/g));
  const compiled = new URL('../../control-plane/console/', import.meta.url);
  const pages = files.filter(isWords);
  t.ok(pages.length > 20, `${pages.length} pages have texts`);
  for (const path of pages) {
    const { words }: Texts = await import(new URL(path.replace(/ts$/, 'js'), compiled).href);
    const left = Object.keys(words?.en ?? {}).filter((key) => !used.has(key));
    t.same(left, [], path);
  }
});
