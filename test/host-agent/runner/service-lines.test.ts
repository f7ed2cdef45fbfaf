// Output of a script cannot be taken for a line of the service.
// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { createLogWindow } from '../../../host-agent/runner/log-window.js';
import { createServiceLineGuard } from '../../../host-agent/runner/service-lines.js';
import { visibleText } from '../../../shared/clean-text.js';
import { countOf } from '../../../shared/count.js';
import { cases } from '../../harness/soak.js';
import { openRig } from './rig.js';

const TAG = '[cidermill] ';
const SHOWN = '[cidermill (script)] ';

function guarded(pieces: readonly Buffer[]): string {
  const guard = createServiceLineGuard();
  return Buffer.concat(pieces.map((piece) => Buffer.from(guard.write(Buffer.from(piece))))).toString('latin1');
}
const guardedText = (text: string) => guarded([Buffer.from(text)]);
const latin = (text: string) => Buffer.from(text).toString('latin1');

const imitations: [name: string, before: string, tag?: string][] = [
  ['at the beginning', ''],
  ['on a line of its own', 'output\n'],
  ['after CR', 'output\r'],
  ['after CR LF', 'output\r\n'],
  ['after a form feed', 'output\f'],
  ['after backspaces', 'x\b'],
  ['after a color', '\x1b[1;31m'],
  ['after a color on a new line', 'output\n\x1b[0m\x1b[38;5;12m'],
  ['after a cursor that moved', 'output\x1b[1G'],
  ['after a line that was erased', 'output\x1b[2K\x1b[G'],
  ['after a restored cursor', 'output\x1b8'],
  ['after a title', 'output\n\x1b]0;title\x07'],
  ['after a title without end', 'output\n\x1b]0;title\n'],
  ['after a title with a color in it', '\x1b]\u009bmore] \x07'],
  ['in a title without end', 'output\n\x1b]'],
  ['after a link', '\x1b]8;;https://example.com\x1b\\'],
  ['after control characters', '\x00\x01\x7f'],
  ['after a BOM', '\ufeff'],
  ['after a character without width', 'output\n\u200b\u2060'],
  ['after a change of direction', '\u202e'],
  ['after a line separator', 'output\u2028'],
  ['after a next line', 'output\u0085'],
  ['after an aborted sequence', '\x1b[1\x18'],
  ['after another one', 'output\n\x1b[\x1a'],
  ['after a title that only some programs end', '\x1b]\x18\u00e9\x07'],
  ['after a line end in a sequence', 'output\x1b[\rc'],
  ['after a line end in a title', 'output\x1b]0;title\nx\x07'],
  ['inside an unfinished sequence', '\x1b', '[\x00cidermill] '],
  ['after a sequence with an invalid character', '\x1b[\u00e9'],
  ['after a private-use character', '\ue000'],
  ['after an unassigned character', '\u0378'],
  ['after a filler', '\u3164'],
  ['with a filler inside', '', '[cider\uffa0mill] '],
  ['with a color inside', '', '[cider\x1b[0mmill] '],
  ['with a character without width inside', '', '[cider\u200bmill] '],
  ['with control characters inside', '', '[ci\x00der\x02mill\x7f] '],
];

t.test('a line of a script that begins with the tag of the service is shown as the script’s', async (t) => {
  for (const [name, before, tag = TAG] of imitations) {
    const text = `${before}${tag}stopped: cancelled\n`;
    t.equal(guardedText(text), latin(`${before}${tag.replace(']', ' (script)]')}stopped: cancelled\n`), name);
  }
  for (const text of [
    'a [cidermill] b\n',
    ' [cidermill] b\n',
    '[cidermil] b\n[Cidermill] c\n',
    '[[cidermill] d',
    '-[Cart total]\n',
  ]) {
    t.equal(guardedText(text), latin(text), 'what is elsewhere in a line stays as it is');
  }
  t.equal(guardedText('[cidermill]'), '[cidermill (script)]', 'and nothing is held back');
});

t.test('the guard finds tags after characters that readers ignore', async (t) => {
  const passed: string[] = [];
  const last = 0x10ffff;
  const characters = fc.sample(fc.integer({ min: 0x80, max: last }), 20_000);
  for (let character = 0x80; character < 0x10000; character++) characters.push(character);
  for (const character of characters) {
    const one = String.fromCodePoint(character);
    for (const line of [`${one}[cidermill] x`, `[cider${one}mill] x`]) {
      const guard = createServiceLineGuard();
      const shown = visibleText(guard.write(Buffer.from(line)).toString());
      if (shown.startsWith(TAG)) passed.push(character.toString(16));
    }
  }
  t.same(passed, []);
  const part = fc.constantFrom(
    ...['\n', '\r', '\b', '\x00', '\x18', '\x1b', '\x07', '[', ']', '\\', '0', ';', ' ', 'm', 'P', '(', '~'],
    ...['\u009b', '\u0085', '\u00e9', '\u3164', '\u2028', '[cider', 'mill] ', '[cidermill] ', 'c', '\x1b['],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const guard = createServiceLineGuard();
      const shown = Buffer.concat(parts.map((one) => Buffer.from(guard.write(Buffer.from(one))))).toString();
      return !visibleText(shown, '\n')
        .split('\n')
        .some((line) => line.startsWith(TAG));
    }),
    { numRuns: cases(1_500) },
  );
});

t.test('the output does not depend on the chunks', async () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...imitations.map(([, before, tag = TAG]) => before + tag),
      '\n',
      '\r',
      '\x1b[',
      '\x1b',
      '\b',
      '[cider',
      'mill] ',
      '\u2028',
    ),
    fc.string({ maxLength: 5 }),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 20 }), (parts, places) => {
      const all = Buffer.from(parts.join(''));
      const cuts = [...new Set([0, ...places.filter((place) => place < all.length), all.length])].sort((a, b) => a - b);
      const pieces = cuts.slice(1).map((end, n) => all.subarray(cuts[n], end));
      const whole = guarded([all]);
      const plain = /(?:^|[\n\r])\[cidermill\]/.test(whole);
      return (
        guarded(pieces) === whole &&
        whole.replaceAll(' (script)', '') === all.toString('latin1').replaceAll(' (script)', '') &&
        !plain
      );
    }),
    { numRuns: 3000 },
  );
});

t.test('plain text at once and byte by byte is the same', async () => {
  const part = fc.constantFrom(
    ...['\n', '\r', '\f', '\b', '\x01', '\x7f', '\x1b', '\u00e9', '[', 'l', ']', 'x', '[cidermil', '[cidermill]', 'l]'],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const all = Buffer.from(parts.join(''));
      return guarded([all]) === guarded(Array.from(all, (byte) => Buffer.of(byte)));
    }),
    { numRuns: cases(5_000) },
  );
});

t.test('a line that is cut does not begin with the tag', async (t) => {
  const out: Buffer[] = [];
  const window = createLogWindow({ headBytes: 0, tailBytes: 20 }, (bytes) => out.push(Buffer.from(bytes)));
  window.write(Buffer.from(`${'x'.repeat(50)}[cidermill] stopped.`));
  window.end();
  t.match(Buffer.concat(out).toString(), /left out here\n\[cidermill \(script\)\] stopped\.$/);
});

t.test('the service’s own lines stay as they are, and secrets in both are masked', async (t) => {
  const rig = await openRig(t);
  const { log, result } = await rig.run(
    'printf "[cider"; sleep 0.05; printf "mill] stopped: cancelled\\n%s\\r[cidermill] $S\\nno line end" "$S"; exit 3',
    {
      secrets: [{ name: 'S', value: '[cidermill] of the hidden kind' }],
      limits: { outputBatchMs: 0 },
      async checkOutSources({ say }) {
        say('sources\r[cidermill] [cidermill] of the hidden kind\nand more');
        return { commit: null };
      },
    },
  );
  t.equal(result.exit_code, 3);
  t.equal(
    log,
    `${TAG}sources\n${TAG}[cidermill] ***\n${TAG}and more\n`.replace(`${TAG}[cidermill] ***`, `${TAG}${TAG}***`) +
      `${SHOWN}stopped: cancelled\n***\r${SHOWN}***\nno line end\n${TAG}The script ended with exit code 3; the end of the log says why.\n`,
  );
});

t.test('every byte has the right source, also where the log is cut', async () => {
  // Scripts write digits only, the service none.
  const piece = fc.oneof(
    fc.record({
      own: fc.constant(true),
      text: fc.constantFrom('a', 'longer line', 'ü', 'two\n[cidermill] lines'),
    }),
    fc.record({ own: fc.constant(false), text: fc.constantFrom('1', '22\n', '3[4] ', '６\n', '\n') }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(60), fc.nat(60), (pieces, headBytes, tailBytes) => {
      const sources: [string, boolean][] = [];
      const window = createLogWindow({ headBytes, tailBytes }, (bytes, isService) =>
        sources.push([bytes.toString(), isService]),
      );
      for (const { own, text } of pieces) {
        if (own) window.writeOwn(`[cidermill] ${text}`);
        else window.write(Buffer.from(text));
      }
      const { omittedBytes } = window.end();
      if (omittedBytes > 0) {
        const omission = sources.findIndex(([text]) => / left out here\n$/.test(text));
        const [said, isService] = sources.splice(omission, 1)[0] ?? [];
        if (!isService || said !== `[cidermill] ${countOf(omittedBytes, 'byte')} left out here\n`) return false;
      }
      return sources.every(([text, isService]) => !(isService ? /\p{N}/u : /\p{L}/u).test(text));
    }),
    { numRuns: 3000 },
  );
});
