// What the palette finds for what is typed, and which ids it knows.
import t from 'tap';
import { idIn } from '../../control-plane/console/palette/ids.js';
import { fold, matcherOf, matching } from '../../control-plane/console/palette/match.js';
import { newId, newOrderNo } from '../../control-plane/platform/domain/ids.js';

const rank = (query: string, ...names: string[]) => matcherOf(query)(names);

t.test('the beginning comes before words, and words before what is inside of them', async (t) => {
  for (const [query, name, expected] of [
    ['rent', 'Rent a Mac', 0],
    ['RENT A', 'Rent a Mac', 0],
    ['mac', 'Rent a Mac', 1],
    ['mac rent', 'Rent a Mac', 1],
    ['ent', 'Rent a Mac', 2],
    ['mac ent', 'Rent a Mac', 2],
    ['rent host', 'Rent a Mac', null],
    ['keys', 'API keys', 1],
    ['buro', 'Büro', 0],
    ['BÜRO', 'buro', 0],
    ['ｍａｃ', 'Mac 1', 0],
    ['1', 'release-1', 1],
    ['(', 'Mac', null],
  ] as const) {
    t.equal(rank(query, name), expected, `${query} in ${name}`);
  }
  t.equal(rank('webhook', '웹훅', 'Webhooks'), 0, 'any of the names');
});

t.test('a Korean syllable matches while it is typed', async (t) => {
  for (const typed of ['ㅂ', '비', '빌', '빌ㄷ', '빌드']) t.equal(rank(typed, '빌드'), 0, typed);
  t.equal(rank('빋', '비디오'), 0, 'the next consonant is still at the end of the syllable before');
  t.equal(rank('고', '과금'), 0, 'half of a vowel');
  t.equal(rank('갑', '값'), 0, 'half of a final consonant');
  t.equal(rank('대여', 'Mac 대여'), 1);
  t.equal(rank('ㅂㄷ', '빌드'), 2, 'first consonants alone');
  t.equal(rank('ㅇㅋ', '웹훅'), null);
  t.equal(rank('빌두', '빌드'), null);
  t.equal(rank('빌드'.normalize('NFD'), '빌드'), 0, 'as macOS writes the names of files');
  t.equal(fold('각'), fold('가ㄱ'));
});

t.test('equal entries keep their order', async (t) => {
  const entries = ['Mac 2', 'iMac', 'Mac 1', 'Old Mac', 'Queue'].map((name) => ({ names: [name] }));
  const found = (query: string) => matching(entries, query).map(({ names }) => names[0]);
  t.same(found('mac'), ['Mac 2', 'Mac 1', 'Old Mac', 'iMac']);
  t.same(found('mac'), found('MAC'));
  t.same(found('nothing'), []);
});

t.test('ids of the service are known, and what only looks like them is not', async (t) => {
  for (const [prefix, kind] of [
    ['rb', 'build'],
    ['rt', 'mac'],
    ['wh', 'webhook'],
    ['host', 'host'],
    ['org', 'organization'],
  ] as const) {
    const id = newId(prefix);
    t.same(idIn(id), { kind, id });
    t.same(idIn(`  ${id.toUpperCase()}\n`), { kind, id }, 'as it may be pasted');
    for (const other of [id.slice(0, -1), `${id}0`, `x${id}`, `${id} ${id}`]) t.equal(idIn(other), null, other);
  }
  const number = newOrderNo();
  t.same(idIn(number.toLowerCase()), { kind: 'order', id: number });
  for (const text of ['', 'rb_', 'rb', 'release', newId('user'), newOrderNo('TU')]) t.equal(idIn(text), null, text);
});
