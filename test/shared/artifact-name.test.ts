// Artifact names follow the rules for paths in uploads, and some more.
import fc from 'fast-check';
import t from 'tap';
import { safeParts } from '../../client/artifacts/paths.js';
import { badArtifactName, plainName } from '../../shared/paths/artifact-name.js';
import { badPath } from '../../shared/paths/source-path.js';
import { anyCharacter } from '../harness/any-character.js';

const refused = [
  '',
  '/',
  '/etc/passwd',
  '../up',
  'a/../b',
  'a/..',
  './a',
  'a//b',
  'a/',
  '..',
  '.',
  'a\0b',
  'a\nb',
  'a\rb',
  'a\tb',
  '\x1b[31mred',
  '\x1b]0;title\x07',
  'a\x7f',
  'a\x85b',
  'a\x9b31m',
  'a\u2028b',
  'a\u2029b',
  '\ud800',
  'e\u0301',
  'invoice\u202efdp.exe',
  'a\u202ab',
  'a\u2066b\u2069',
  'a\u200eb',
  'a\u200fb',
  'a\u061cb',
  '.git/config',
  'a/.GIT/x',
  '.hg/hgrc',
  'a/git~1/x',
  '.g\u200cit/x',
  'x'.repeat(256),
  `${'x/'.repeat(600)}x`,
  'é'.repeat(128),
];
const accepted = [
  'a',
  'out/My App.ipa',
  'Grüße/日本.txt',
  'a b/c (2)',
  'it’s',
  '-rf',
  'a:b',
  'x'.repeat(255),
  '❤\ufe0f.png',
  '👨\u200d👩\u200d👧.png',
  'می\u200cخواهم',
  'build.app.tar.gz',
  '…x',
];

const shown = (name: string) => escape(name).slice(0, 60);

t.test('names that leave the folder, control a terminal or reverse text are refused', async (t) => {
  for (const name of refused) {
    t.type(badArtifactName(name), 'string', shown(name));
    t.equal(safeParts(name), null, `${shown(name)} is not saved either`);
  }
  for (const name of accepted) t.equal(badArtifactName(name), null, shown(name));
});

t.test('names that uploads refuse are refused; plain names are accepted if they are valid paths', async () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '.git', 'a', '\u202e', 'e\u0301', '\x1b[2J', '\n', '\ud83d'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const name = parts.join('/');
      if (badPath(name, 1024) !== null && badArtifactName(name) === null) return false;
      const plain = plainName(name);
      const reason = badArtifactName(plain);
      // After cleaning, a name can be refused for its segments, but not for its characters.
      return !/control character|Unicode/.test(reason ?? '') && plainName(plain) === plain;
    }),
    { numRuns: 3000 },
  );
});
