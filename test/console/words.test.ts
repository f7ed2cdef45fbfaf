// Texts of the console: none is left over after a change of its page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = new URL('../../../control-plane/console/', import.meta.url);

const isWords = (path: string) => /(^|\/)words\.ts$/.test(path);

interface Texts {
  readonly words?: { readonly en: object };
}

t.test('every text of a page is used', async (t) => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
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

/** Texts of what is never one: bought hours, characters of a password, limits. */
const NEVER_ONE: ReadonlySet<string> = new Set([
  'log.tooMany',
  'log.noGroupEnd',
  'log.showMore',
  'pages/first-owner.passwordNote',
  'pages/invite.passwordNew',
  'pages/mac.boughtHours',
  'pages/order.hours',
  'pages/rent.nameNote',
  'pages/reset-password.passwordNote',
  'pages/settings.passwordNote',
]);
/** Without verbs: `1 is`. */
const PLURAL_OF_ONE = /\b1 (more )?(?!(is|was|has|ends|waits|works|invites)\b)\w+s\b/;

/** Returns the texts with a plural after a one, with their paths. */
function pluralsOfOne(texts: unknown, path: string): string[] {
  if (typeof texts === 'function') {
    // A count is given as a number or, with its separators, as a text.
    const answers = [1, '1'].map((one) => String(texts(...Array(texts.length).fill(one))));
    return answers.every((text) => PLURAL_OF_ONE.test(text)) ? [path] : [];
  }
  if (typeof texts !== 'object' || texts === null) return [];
  return Object.entries(texts).flatMap(([key, value]) => pluralsOfOne(value, `${path}.${key}`));
}

t.test('no text has a plural after a count of one', async (t) => {
  t.same(pluralsOfOne({ few: (n: number) => `${n} builds` }, 'x'), ['x.few']);
  t.same(pluralsOfOne({ few: (n: string) => (n === '1' ? '1 build' : `${n} builds`) }, 'x'), []);
  const compiled = new URL('../../control-plane/console/', import.meta.url);
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|[/-])words\.ts$/.test(path),
  );
  const found: string[] = [];
  for (const path of [...paths, 'words/shared.ts'].filter((each) => each !== 'words/use-words.ts')) {
    const module: Record<string, { readonly en: object }> = await import(
      new URL(path.replace(/ts$/, 'js'), compiled).href
    );
    for (const table of Object.values(module)) found.push(...pluralsOfOne(table.en, path.replace(/\/?words\.ts$/, '')));
  }
  t.same(
    found.filter((each) => !NEVER_ONE.has(each)),
    [],
  );
  t.same(
    [...NEVER_ONE].filter((each) => !found.includes(each)),
    [],
    'each of these is still there',
  );
});
