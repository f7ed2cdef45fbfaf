// The texts of the console, and of mails, notices and errors: one term for one thing in each language, and no Korean
// particle in two forms because the word before it is not known.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const root = 'control-plane/console/';
const files = ['control-plane/', 'shared/'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => folder + file)
    .filter((file) => /\.tsx?$/.test(file) && /[가-힣]/u.test(readFileSync(file, 'utf8'))),
);
const KOREAN: ReadonlyMap<string, RegExp> = new Map([
  ['a particle in two forms: rephrase the sentence', /을\(를\)|를\(을\)|이\(가\)|은\(는\)|와\(과\)|\(으\)로/u],
  ["'멤버' is the term", /구성원/u],
  ["'종료 없음' is the term", /무기한|종료 시점 없음/u],
  ["'이미지 기본값' is the term", /이미지 기준/u],
  ["'결제 대행사' is the term", /결제사/u],
  ["'IP 주소' is the term", /허용(되지 않)?(된|은) 주소/u],
  ["'이메일' is the term", /(?<!이)메일|이 메일/u],
  ['a part of a whole is `used / limit`', /\$\{\w+\}[대개]? 중 \$\{\w+\}[대개]?( 보유| 남음| 빌드)?[`,']/u],
  ["'p95' is the term", /퍼센타일|최장 대기|최대 대기/u],
  ['no particle after an amount of dollars', /\$\{(price|usd|available)\}(이|가|을|를|은|는)[ ,]/u],
  ["'가상 머신' is the term", /\bVM[은는이가을를]|[가-힣] VM\b|\bVM [가-힣]/u],
]);

t.test('the terms and particles of the Korean texts', async (t) => {
  t.ok(files.length > 60, String(files.length));
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
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
  ["'e-mail' is the term", /\b(by|no|this) mail\b|\bMails?\b/],
  ["'begins' is the term", /`starts \$\{/],
  ['states are lower case', /: '(Ready|Preparing|Building|Reserved|Awaiting payment|No end)'/],
  ["only a service that sends mail sends a link: 'creates' is true of all", /gets a link/],
  ['no plural verb after a count of one', /\$\{macs\} are\b/],
  ["'no longer' is the term", /\bany more\b/],
]);

const englishMails = ['invite-mail', 'password-reset-mail'].map((name) => `control-plane/access/domain/${name}.ts`);

t.test('the terms of the English texts', async (t) => {
  const texts = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /words\.ts$/.test(file));
  t.ok(texts.length > 40, String(texts.length));
  for (const file of [...texts.map((name) => root + name), ...englishMails]) {
    const text = readFileSync(file, 'utf8');
    const code = text.replaceAll(/^\/\/.*/gm, '');
    for (const [why, refused] of ENGLISH) t.notMatch(code, refused, `${file}: ${why}`);
  }
});
