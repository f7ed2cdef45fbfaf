// The Korean texts: one term for one thing, and no particle in two forms because the word before it is not known.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const root = 'control-plane/console/';
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && /[가-힣]/u.test(readFileSync(root + file, 'utf8')),
);
const REFUSED: ReadonlyMap<string, RegExp> = new Map([
  ['a particle in two forms: rephrase the sentence', /을\(를\)|를\(을\)|이\(가\)|은\(는\)|와\(과\)|\(으\)로/u],
  ["'멤버' is the term", /구성원/u],
  ["'종료 없음' is the term", /무기한/u],
  ["'가상 머신' is the term", /\bVM\b[은는이가을를 ]/u],
]);

t.test('the terms and particles of the Korean texts', async (t) => {
  t.ok(files.length > 40, String(files.length));
  for (const file of files) {
    const text = readFileSync(root + file, 'utf8');
    for (const [why, refused] of REFUSED) t.notMatch(text, refused, `${file}: ${why}`);
  }
});
