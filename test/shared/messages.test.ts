// Messages for people: every code of every table in every language, and messages of other versions.
import { readdirSync } from 'node:fs';
import t from 'tap';
import { languages } from '../../shared/language.js';
import { firstWarnings } from '../../shared/messages/build-warnings.js';
import { deliveryErrors } from '../../shared/messages/delivery-errors.js';
import { message, say, sentenceOf, type Table, uncoded, withTexts } from '../../shared/messages/message.js';

const folder = new URL('../../shared/messages/', import.meta.url);

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((row) => typeof row === 'object' && row !== null && 'said' in row);

async function* tables(): AsyncGenerator<readonly [string, Table]> {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const exported = Object.entries((await import(new URL(file, folder).href)) as object);
    for (const [name, value] of exported) if (isTable(value)) yield [`${file}: ${name}`, value];
  }
}

type Kinds = Readonly<Record<string, 'text' | 'number' | readonly string[]>>;

/** Values of every kind: each word once, and numbers that take a singular and a plural. */
function* samples(kinds: Kinds): Generator<Record<string, string | number>> {
  const words = Math.max(1, ...Object.values(kinds).map((kind) => (Array.isArray(kind) ? kind.length : 1)));
  for (let at = 0; at < Math.max(2, words); at++) {
    yield Object.fromEntries(
      Object.entries(kinds).map(([name, kind], place) => {
        if (kind === 'text') return [name, `<${name}>`];
        return [name, kind === 'number' ? (at === 0 ? 1 : 7_000 + place) : String(kind[at % kind.length])];
      }),
    );
  }
}

t.test('every code has its sentence with its values in every language', async (t) => {
  let codes = 0;
  for await (const [where, table] of tables()) {
    for (const [code, { kinds }] of Object.entries(table)) {
      codes++;
      t.match(code, /^[a-z][a-z0-9_]{0,63}$/, `${where}: ${code}`);
      for (const params of samples(kinds as Kinds)) {
        const texts = languages.map((language) => sentenceOf(table, language, { code, params }) ?? '');
        for (const [at, text] of texts.entries()) {
          const what = `${where}: ${code}: ${languages[at]}: ${text}`;
          t.match(text, /\S/, what);
          t.notMatch(text, /undefined|NaN|null|\[object|\$\{|=>/, what);
          t.equal(/[가-힣]/u.test(text), languages[at] === 'ko', what);
          for (const [name, kind] of Object.entries(kinds as Kinds)) {
            if (kind === 'text') t.ok(text.includes(`<${name}>`), `${what} has ${name}`);
          }
        }
      }
    }
  }
  t.ok(codes > 25, `${codes} codes`);
});

t.test('a message that is not known here is shown as its text', async (t) => {
  const { code, params, text } = message(deliveryErrors, 'no_answer_in_time', { seconds: 10 });
  t.equal(text, 'no answer within 10 seconds');
  t.equal(say(deliveryErrors, 'ko', { code, params, text }), '10초 안에 응답이 없습니다');
  for (const other of [
    { code: 'of_a_newer_version', params, text },
    { code: 'toString', params, text },
    { code, params: {}, text },
    { code, params: { seconds: '10' }, text },
    uncoded(text),
  ])
    for (const language of languages) t.equal(say(deliveryErrors, language, other), text);
});

t.test('texts of a message are changed everywhere', async (t) => {
  const found = message(deliveryErrors, 'no_answer_because', { reason: 'sesame\u202e' });
  const masked = withTexts(deliveryErrors, found, (text) => text.replace(/sesame\u202e?/u, '***'));
  t.same(masked, { code: 'no_answer_because', params: { reason: '***' }, text: 'no answer (***)' });
  t.same(
    withTexts(deliveryErrors, uncoded('sesame'), () => '***'),
    uncoded('***'),
  );
});

t.test('a long list of warnings keeps the first ones and counts the rest', async (t) => {
  const all = Array.from({ length: 5000 }, (_, n) => uncoded(`w${n}`));
  const textsOf = (most: number, list = all) => firstWarnings(list, most).map(({ text }) => text);
  t.same(textsOf(3, all.slice(0, 3)), ['w0', 'w1', 'w2']);
  t.same(textsOf(3), ['w0', 'w1', '4998 more warnings.']);
  t.same(textsOf(3, firstWarnings(all, 100)), ['w0', 'w1', '4998 more warnings.'], 'also if cut twice');
});
