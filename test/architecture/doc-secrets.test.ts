// Who follows the docs keeps secrets private: files for one user, no core dumps, and the key away from the backup.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const root = new URL('../../../', import.meta.url).pathname;
const pages = [
  'README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|service|ya?ml|sh)$/.test(path) && !path.startsWith('adr/'))
    .map((path) => `docs/${path}`),
].map((page) => ({ page, text: readFileSync(root + page, 'utf8') }));

/** Commands of the blocks for a shell; a line that goes on belongs to the next one. */
const commandsIn = (block: string) => block.replaceAll(/(\\|\|)\n/g, '$1 ').split('\n');
const blocksOf = (text: string) => [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);

/** What prints a password, key or token, or the log with the address for the first owner. */
const PRINTS = /key create|host enroll|member invite|reset-password|set-password|openssl rand|control-plane\/main\.js/;
const TO_FILE = /[^&2]>{1,2} *[\w~$/]|\btee\b/;
/** /etc/cidermill and its file are made with their modes. */
const MADE_BEFORE = /tee -a \/etc\/cidermill\/cidermill\.env/;

t.test('what is secret is written to files for one user', async (t) => {
  let found = 0;
  for (const { page, text } of pages) {
    for (const block of blocksOf(text)) {
      let isPrivate = false;
      for (const command of commandsIn(block)) {
        if (/^umask 077/.test(command)) isPrivate = true;
        if (!PRINTS.test(command) || !TO_FILE.test(command) || MADE_BEFORE.test(command)) continue;
        found++;
        t.ok(isPrivate || command.startsWith('(umask 077; '), `${page}: ${command}`);
      }
    }
  }
  t.ok(found >= 5, `${found} commands`);
});

t.test('secret.key is copied to another place than the backup', async (t) => {
  const copies = pages.flatMap(({ page, text }) =>
    blocksOf(text)
      .flatMap(commandsIn)
      .filter((command) => /\b(cp|install|rsync)\b.*secret\.key/.test(command))
      .map((command) => ({ page, command })),
  );
  t.ok(copies.length >= 2, `${copies.length} commands`);
  for (const { page, command } of copies) t.notMatch(command, /backup/, `${page}: ${command}`);
});

t.test('units of systemd write no core dumps and files for their user only', async (t) => {
  const units = pages.flatMap(({ page, text }) =>
    text
      .split(/^\[Service\]$/m)
      .slice(1)
      .map((rest) => ({ page, unit: rest.split(/^\[|^ *```/m)[0] ?? '' })),
  );
  t.ok(units.length >= 2, `${units.length} units`);
  for (const { page, unit } of units) {
    t.match(unit, /^LimitCORE=0$/m, page);
    t.match(unit, /^UMask=0077$/m, page);
  }
});
