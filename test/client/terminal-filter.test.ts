// What a build's output may do to the terminal of the person who reads it.
import fc from 'fast-check';
import t from 'tap';
import { createTerminalFilter } from '../../client/cli/terminal-filter.js';
import { onTerminal } from './on-terminal.js';
import { bytesOf, runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

function filtered(...pieces: (string | Uint8Array)[]): string {
  const filter = createTerminalFilter();
  return pieces.map((piece) => filter.write(Buffer.from(piece))).join('') + filter.end();
}

const LINK = '\x1b]8;id=a-1;https://example.com/a?b=c;d\x1b\\link\x1b]8;;\x1b\\';

/** What a progress bar and a colored log consist of. */
const PASSED = [
  'text, é, 한글, 👩‍💻',
  'a\tb\r\nc\rd\be',
  '\x1b[31mred\x1b[0m',
  '\x1b[1;38;5;208;48;2;1;2;3mmany\x1b[m',
  '\x1b[4:3;58:2::1:2:3mwavy\x1b[0m',
  '\x1b[2K\x1b[1G\x1b[K\x1b[0K\x1b[1K 10%',
  '\x1b[3C\x1b[2D\x1b[4@\x1b[5P\x1b[6X\x1b[10`',
  'one\ntwo\n\x1b[2Athree\x1b[1B\x1b[1E\x1b[2Ffour\x1b[J\x1b[0J',
  LINK,
  LINK.replace('https', 'http'),
];

/** Sequences that are removed whole. */
const DROPPED: Record<string, string> = {
  'the clipboard': '\x1b]52;c;ZXZpbA==\x07',
  'the clipboard, ended by ST': '\x1b]52;c;ZXZpbA==\x1b\\',
  'the clipboard, asked for': '\x1b]52;c;?\x07',
  'the clipboard in C1 controls': '\u009d52;c;ZXZpbA==\u009c',
  'the clipboard through tmux': '\x1bPtmux;\x1b\x1b]52;c;ZXZpbA==\x07\x1b\\',
  titles: '\x1b]0;t\x07\x1b]1;t\x07\x1b]2;t\x1b\\\x1b]l\x1b\\\x1b]L\x1b\\',
  'a title, pushed, popped and reported': '\x1b[22;0t\x1b[23;0t\x1b[21t',
  'colors of the terminal': '\x1b]4;1;red\x07\x1b]10;?\x07\x1b]11;#000\x07\x1b]104\x07\x1b]P0000000\x1b\\',
  'working folder, notices, marks, images':
    '\x1b]7;file:///\x07\x1b]9;hi\x07\x1b]777;x\x07\x1b]133;A\x07\x1b]1337;File=:AA==\x07',
  'status and position': '\x1b[5n\x1b[6n\x1b[?6n\x1b[?996n',
  'who the terminal is': '\x1b[c\x1b[0c\x1b[>c\x1b[=c\x1b[>q\x1b[>0q\x1bZ\x05',
  'modes asked for': '\x1b[?2026$p\x1b[4$p\x1bP$qm\x1b\\\x1bP+q544e\x1b\\',
  'size and window': '\x1b[14t\x1b[18t\x1b[8;9;9t\x1b[2t\x1b[11t',
  'the other screen': '\x1b[?1049h\x1b[?1049l\x1b[?47h\x1b[?1047h',
  'the mouse': '\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?1015h',
  keyboards: '\x1b[?1h\x1b=\x1b>\x1b[>4;2m\x1b[>1u\x1b[=1u\x1b[<u\x1b[?u\x1b[?2004h\x1b[?1004h\x1b[2h\x1b[20h\x1b[?4m',
  'the cursor and wrapping': '\x1b[?25l\x1b[?25h\x1b[?7l\x1b[5 q\x1b7\x1b8\x1b[s\x1b[u\x1b[?6h\x1b[?2026h',
  resets: '\x1bc\x1b[!p\x1b[?3h\x1b#8\x1b[61"p',
  'character sets': '\x1b(0\x1b)B\x1b*A\x1b+A\x1b%G\x1b%@\x1bn\x1bo\x1b|\x0e\x0f\x1bN\x1bO\u008e\u008f',
  'places on the screen': '\x1b[H\x1b[9;9H\x1b[9;9f\x1b[9d\x1b[1;5r\x1b[9e\x1b[9I\x1b[9Z\x1b[5W\x1bH\x1b[3g',
  'the screen and what was scrolled away': '\x1b[2J\x1b[3J\x1b[1J\x1b[?J\x1b[L\x1b[M\x1b[S\x1b[T\x1bM\x1bD\x1bE\x1b[9b',
  'lines above the log': '\x1b[A\x1b[5B',
  strings:
    '\x1bPq#0;2;0;0;0\x1b\\\x1b_Gf=100;AA\x1b\\\x1b^private\x1b\\\x1bXstart\x1b\\\u0090q\u009c\u009f\u009c\u0098x\u009c\u009ep\u009c',
  'printing, and what is no sequence': '\x1b[5i\x1b[?5i\x1b[4i\x1b[1;2;3|\x1b[99999A\x1b[12345C',
  controls: '\x00\x01\x07\x0b\x0c\x7f\u0080\u0085\u008d\u0099',
  'an interrupted sequence': '\x1b[31\x18\x1b]0;t\x1a\x1b',
};

t.test('colors, movements of progress bars and links pass', async (t) => {
  for (const text of PASSED) t.equal(filtered(text), text, JSON.stringify(text));
  t.equal(filtered('\u009b31mred\u009b0m'), '\x1b[31mred\x1b[0m', 'C1 controls as ESC and a character');
  t.equal(filtered(LINK.replaceAll('\x1b\\', '\x07')), LINK, 'ended by BEL');
});

t.test('everything else is dropped, and what stands around it stays', async (t) => {
  for (const [what, text] of Object.entries(DROPPED)) {
    t.equal(filtered(`a${text}`, 'z'), what.startsWith('an interrupted') ? 'a' : 'az', what);
  }
  t.equal(filtered('a\x1b[31\x18z'), 'az');
  t.equal(filtered(Buffer.from([0x61, 0x9b, 0x36, 0x6e, 0xff, 0x7a])), 'a\ufffd6n\ufffdz', 'no UTF-8');
  t.equal(filtered('a\x1b[2\x1b[31mb\x1b[3\nc'), 'a\x1b[31mb\nc\x1b[0m', 'a sequence within another');
});

t.test('links to other places lose their address', async (t) => {
  const CLOSED = '\x1b]8;;\x1b\\';
  for (const address of [
    'file:///etc/passwd',
    'ssh://host',
    'javascript:alert(1)',
    'x-apple:y',
    'https://a b',
    'https://é',
    `https://${'x'.repeat(3_000)}`,
  ]) {
    const shown = filtered(`\x1b]8;;${address}\x1b\\text\x1b]8;;\x1b\\`);
    t.equal(shown, `${CLOSED}text${CLOSED}`, address.slice(0, 30));
  }
  t.equal(filtered(`\x1b]8;x=y:id=1:z;https://a\x07b`), `\x1b]8;id=1;https://a\x1b\\b${CLOSED}`, 'its id alone');
});

t.test('what is left open ends with the log; what never ends hides no more than its line', async (t) => {
  t.equal(filtered('\x1b[8mhidden'), '\x1b[8mhidden\x1b[0m');
  t.equal(filtered('\x1b]8;;https://a\x07b'), '\x1b]8;;https://a\x1b\\b\x1b]8;;\x1b\\');
  for (const start of ['\x1b]52;c;', '\x1b]8;;https://', '\x1bP', '\x1b_', '\x1b^', '\x1bX', '\u009d']) {
    t.equal(filtered(`a${start}swallowed\nnext line`), 'a\nnext line', JSON.stringify(start));
    const shown = filtered(`a${start}`, ...Array(200).fill('x'.repeat(1_000)));
    t.ok(shown.length > 100_000 && shown.length < 200_000, `${JSON.stringify(start)}: ${shown.length} shown`);
  }
  t.equal(filtered(`\x1b[${'1'.repeat(400)}z`).at(-1), 'z');
});

t.test('the cursor never leaves the log upwards', async (t) => {
  t.equal(filtered('\x1b[5Aa\nb\n\x1b[9Ac'), 'a\nb\n\x1b[2Ac');
  t.equal(filtered('a\n\x1b[50B\x1b[50Ab\x1b[Fc'), 'a\n\x1b[1Ab\rc');
  const filter = createTerminalFilter();
  t.equal(filter.write(Buffer.from('a\nb\n')) + filter.end(), 'a\nb\n');
  t.equal(filter.write(Buffer.from('\x1b[2Ac')), 'c', 'what was printed in between stays');
});

/** The grammar of what may reach a terminal, written independently of the filter. */
const HARMLESS =
  /^(?:[^\x00-\x1f\x7f-\x9f]|[\b\t\n\r]|\x1b\[(?:[0-9;:]*m|\d{0,4}[A-G`@PX]|[012]?K|0?J)|\x1b\]8;[\w=.-]*;(?:https?:\/\/[!-~]*)?\x1b\\)*$/i;

const words = fc.constantFrom(
  'a',
  'é',
  '한',
  '\n',
  '0;31',
  'm',
  '\\',
  ';',
  '8;;https://x',
  ']',
  '\x1b',
  '\x1b[',
  '\x1b]',
  '\x1bP',
  '\x07',
  '\u009b',
  '\u009c',
  '\u009d',
  '\x18',
  '?25l',
  '5n',
  'A',
  '52;c;x',
);
const known = fc.constantFrom(...PASSED, ...Object.values(DROPPED));
const anyBytes = fc.uint8Array({ maxLength: 8 });
const outputs = fc
  .array(fc.oneof(words, known, anyBytes), { maxLength: 30 })
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));

t.test('for any output, and any division of its bytes, a terminal gets only harmless sequences', async (t) => {
  fc.assert(
    fc.property(outputs, fc.array(fc.nat({ max: 400 }), { maxLength: 8 }), (bytes, cuts) => {
      const whole = filtered(bytes);
      const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const divided = filtered(...at.slice(1).map((end, n) => bytes.subarray(at[n], end)));
      return divided === whole && HARMLESS.test(whole);
    }),
    { numRuns: 3_000 },
  );
  for (const text of [...PASSED, ...Object.values(DROPPED)]) {
    const bytes = Buffer.from(`a${text}z`);
    t.equal(filtered(...[...bytes].map((byte) => Uint8Array.of(byte))), filtered(bytes), JSON.stringify(text));
  }
});

const EVIL = Object.entries(DROPPED)
  .filter(([what]) => what !== 'lines above the log' && what !== 'an interrupted sequence')
  .map(([, text]) => text)
  .join('');

t.test('build and logs filter for a terminal, and keep every byte in a pipe', async (t) => {
  const { service, place } = await setUp(t);
  const LOG = `one\n\x1b[31mtwo${EVIL}three\x1b[0m\n\x1b]8;;https://a.example\x07four\n`;
  const SHOWN = 'one\n\x1b[31mtwothree\x1b[0m\n\x1b]8;;https://a.example\x1b\\four\n';
  service.onSubmit = (build) => {
    build.append(LOG);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const build = ['build', '--script', 'make'];
  const { stdout } = await runCli(place, build, { terminal: true });
  t.equal(stdout, `${SHOWN}\x1b]8;;\x1b\\`);
  t.equal(await bytesOf(place, build), Buffer.from(LOG).toString('latin1'));

  const { output } = await onTerminal(place, build).ended();
  t.ok(output.includes('two') && output.includes('three'));
  for (const part of ['\x1b]52', '\x1b[6n', '\x1b[?1049h', '\x1b[c', '\x1bP', '\x1bc']) {
    t.notOk(output.includes(part), JSON.stringify(part));
  }

  const pages = [
    ['--from-line', '1'],
    ['--search', 't'],
  ];
  for (const more of [[], ['-f'], ['--tail', '3'], ['--offset', '0'], ['--no-ansi'], ['--timestamps'], ...pages]) {
    if (pages.includes(more)) {
      const lines = LOG.split('\n').map((text, at) => ({ n: at + 1, text }));
      const page = { lines, matches: lines, total_lines: 5, total_matches: 5, next_from_line: null };
      service.instead('GET /builds/*/log', { status: 200, text: JSON.stringify(page) });
    }
    const { code, stdout: shown } = await runCli(place, ['logs', 'rb_000001', ...more], { terminal: true });
    t.equal(code, 0, more.join(' '));
    t.match(shown, HARMLESS, more.join(' '));
    t.ok(shown.includes('two'), more.join(' '));
  }
  t.equal(await bytesOf(place, ['logs', 'rb_000001']), Buffer.from(LOG).toString('latin1'));
});
