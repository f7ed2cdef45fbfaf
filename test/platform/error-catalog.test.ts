import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import type { ErrorRow } from '../../control-plane/platform/domain/errors/row.js';
import { buildWarnings } from '../../shared/messages/build-warnings.js';
import { deliveryErrors } from '../../shared/messages/delivery-errors.js';
import { nextSteps } from '../../shared/messages/failure-advice.js';
import { failureCauses } from '../../shared/messages/failure-causes.js';
import { failureReasonNames } from '../../shared/messages/failure-reason-names.js';
import { imageErrors } from '../../shared/messages/image-errors.js';
import { macProblems } from '../../shared/messages/mac-problems.js';
import type { Table } from '../../shared/messages/message.js';

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

/** Numbers in sentences that no setting changes. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  invalid_commit: ['7', '40', '16'],
  invalid_credentials: ['1'],
  invalid_from: ['8601', '1970'],
  invalid_hours: ['24'],
  invalid_offset: ['0'],
  invalid_period: ['24'],
  invalid_time: ['8601', '2026', '03', '01', '09', '00'],
  invalid_start: ['2026', '03', '01', '09', '00'],
  invalid_to: ['8601', '1970'],
  invalid_name: ['1', '40'],
  invalid_waitlist: ['1'],
  invalid_webhook: ['443', '1024'],
  payment_unavailable: ['1'],
};

t.test('no sentence repeats a limit that can be set', async (t) => {
  for (const [code, { message, advice, en, ko }] of Object.entries(errorCatalog)) {
    const sentences = [message, advice, en, ...ko].filter((each) => each !== null).join(' ');
    const numbers = sentences.match(/(?<![\w])\d+/g) ?? [];
    const others = numbers.filter((number) => !fixed[code]?.includes(number));
    t.same(others, [], `${code}: a limit is a value that the code which throws the error adds`);
  }
});

t.test('no message has a number that is not one of its values, but those of formats and other systems', async (t) => {
  const tables = { ...buildWarnings, ...deliveryErrors, ...nextSteps, ...failureCauses, ...failureReasonNames };
  for (const [code, { kinds, said }] of Object.entries<Table[string]>({ ...tables, ...imageErrors, ...macProblems })) {
    const values = Object.fromEntries(
      Object.entries<unknown>(kinds).map(([name, kind]) => [name, Array.isArray(kind) ? kind[0] : 'x']),
    );
    for (const say of Object.values(said)) {
      const text = say(values).replace(/signal 9|시그널 9|UTF-8|\.p12|1 ?MiB|base64|16진수/g, '');
      t.notMatch(text, /\d/, code);
    }
  }
});
