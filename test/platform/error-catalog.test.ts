import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import type { ErrorRow } from '../../control-plane/platform/domain/errors/row.js';

const folder = new URL('../../../control-plane/platform/domain/errors/', import.meta.url);

/** Does not compile if a row may lack a column. */
const columns = {
  status: true,
  fault: true,
  retryAfterS: true,
  message: true,
  advice: true,
  next: true,
  example: true,
  en: true,
  ko: true,
} satisfies { [K in keyof ErrorRow]-?: object extends Pick<ErrorRow, K> ? never : true };

t.test('every row of the folder is in the catalog, once, and has every column', async (t) => {
  const written = readdirSync(folder).flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    if (!text.includes('satisfies Record<string, ErrorRow>')) return [];
    return [...text.matchAll(/^ {2}(\w+): \{$/gm)].filter(([, name]) => name).map(([, name]) => name);
  });
  t.ok(written.length > 100, `${written.length} rows`);
  t.same(written.sort(), Object.keys(errorCatalog).sort());
  for (const [code, row] of Object.entries(errorCatalog)) {
    t.same(Object.keys(row).sort(), Object.keys(columns).sort(), code);
    t.match(row.message, /^\S.*[.]$/, `${code} has a sentence`);
    t.match(row.advice, /^\S.*[.]$/, `${code} has advice`);
  }
});

t.test('no sentence repeats a limit that can be set', async (t) => {
  for (const [code, { message, advice, en, ko }] of Object.entries(errorCatalog)) {
    for (const text of [message, advice, en ?? '', ...ko.map((each) => each ?? '')]) {
      t.notMatch(text, /\d+ ?(KiB|MiB|GiB|days|hours|minutes|times|secrets|keys|webhooks|일|번|회|개|시간 이)/u, code);
    }
  }
});
