// The texts of the console: one term for one thing in each language, and no Korean particle in two forms because the word
// before it is not known.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const root = 'control-plane/console/';
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && /[가-힣]/u.test(readFileSync(root + file, 'utf8')),
);
const KOREAN: ReadonlyMap<string, RegExp> = new Map([
  ['a particle in two forms: rephrase the sentence', /을\(를\)|를\(을\)|이\(가\)|은\(는\)|와\(과\)|\(으\)로/u],
  ["'멤버' is the term", /구성원/u],
  ["'종료 없음' is the term", /무기한/u],
  ["'이메일' is the term", /(?<!이)메일/u],
  ['a part of a whole is `used / limit`', /\$\{\w+\} 중 \$\{\w+\}[`,']/u],
  ["'p95' is the term", /퍼센타일|최장 대기/u],
  ["'가상 머신' is the term", /\bVM\b[은는이가을를 ]/u],
]);

t.test('the terms and particles of the Korean texts', async (t) => {
  t.ok(files.length > 40, String(files.length));
  for (const file of files) {
    const text = readFileSync(root + file, 'utf8');
    for (const [why, refused] of KOREAN) t.notMatch(text, refused, `${file}: ${why}`);
  }
});

const ENGLISH: ReadonlyMap<string, RegExp> = new Map([
  ["'Permissions' is the term", /: 'May'/],
  ["'active' is the term for keys", /: '(usable|Usable keys)'/],
  ["'IP addresses' is the term", /Allowed addresses/],
  ["'Selected' is the term", /: 'Chosen'/],
  ["'Image default' is the term", /As the image|Default of the image/],
  ["'95th percentile' is the term", /Longest wait of/],
  ["'e-mail' is the term", /\b(by|no) mail\b|\bMails?\b/],
  ['no plural verb after a count of one', /\$\{macs\} are\b/],
  ["'no longer' is the term", /\bany more\b/],
]);

t.test('the terms of the English texts', async (t) => {
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /words\.ts$/.test(file));
  t.ok(texts.length > 40, String(texts.length));
  for (const file of texts) {
    const text = readFileSync(root + file, 'utf8');
    for (const [why, refused] of ENGLISH) t.notMatch(text, refused, `${file}: ${why}`);
  }
});
