// The automaton of all needles against a naive implementation.
// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { Automaton, type State } from '../../../host-agent/runner/mask/automaton.js';
import { compile } from '../../../host-agent/runner/mask/finder.js';
import { createReplacer } from '../../../host-agent/runner/mask/replacer.js';
import { cases } from '../../harness/soak.js';
import { cut, masked, maskedPlainly, needleSet, replacerOf } from './mask-oracle.js';

/** Repetitive texts, so that many needles match partially at the same time. */
const repetitive = fc
  .array(
    fc.record({
      unit: fc.constantFrom('a', 'ab', 'aab', 'b', 'abb'),
      times: fc.integer({ min: 1, max: 90 }),
      end: fc.constantFrom('', 'b', 'c'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.map(({ unit, times, end }) => unit.repeat(times) + end).join(''));

t.test('a state is the longest suffix of the text that begins a needle', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(repetitive, { minLength: 1, maxLength: 6 }),
      repetitive,
      fc.constantFrom(2, 50, 1_000_000),
      (needles, tail, kept) => {
        const automaton = new Automaton(needleSet(...needles), kept);
        const text = `${needles.join('')}${tail}`;
        let state = automaton.root;
        for (let at = 0; at < text.length; at++) {
          if (automaton.isLarge()) {
            automaton.restart();
            state = automaton.moved(state);
          }
          state = automaton.next(state, text.charCodeAt(at));
          const read = text.slice(0, at + 1);
          const begun = (length: number) =>
            needles.some((needle) => needle.startsWith(read.slice(read.length - length)));
          const { depth } = state;
          if (!begun(depth)) return false;
          const deeper = Math.max(...needles.map(({ length }) => length));
          for (let length = depth + 1; length <= Math.min(deeper, read.length); length++)
            if (begun(length)) return false;
          const ended = new Set<number>();
          for (let node: State | null = state.ending; node; node = node.suffix!.ending) {
            for (const needle of node.ended) ended.add(needle);
          }
          if (needles.some((needle, i) => read.endsWith(needle) !== ended.has(i))) return false;
          const going = state.extensible.depth;
          if (going > 0 && !needles.some((needle) => needle.length > going && read.endsWith(needle.slice(0, going))))
            return false;
        }
        return true;
      },
    ),
    { numRuns: 40 },
  );
});

t.test('long needles that share prefixes and contain each other are masked by the rules', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(repetitive, { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(repetitive, fc.constantFrom('\n', '\r\n', '\x1b[1m', ' ', 'x')), { maxLength: 8 }),
      fc.array(fc.nat(2_000), { maxLength: 4 }),
      (needles, parts, at) => {
        const text = parts.concat(needles).join('');
        const bounds = at.filter((place) => place < text.length);
        return masked(replacerOf(...needles), cut(Buffer.from(text), bounds)) === maskedPlainly(needles, text);
      },
    ),
    { numRuns: cases(25) },
  );
});

t.test('the cost of a byte does not grow with the number of partial matches', async (t) => {
  // 2,000 needles match partially or end at every byte: one operation for each would take minutes.
  const begun = Array.from({ length: 1_000 }, (_, i) => `${'a'.repeat(2_000 - i)}b`);
  const ending = Array.from({ length: 1_000 }, (_, i) => 'c'.repeat(3 + i));
  const replacer = replacerOf(...begun, ...ending);
  const flood = Buffer.alloc(1 << 18, `${'a'.repeat(4_000)}\n${'c'.repeat(4_000)}\n`);
  let out = 0;
  for (let i = 0; i < 16; i++) out += replacer.write(flood).length;
  out += replacer.end().length;
  t.ok(out > 1 << 20);
});

t.test('states of endlessly overlapping needles are freed and found again', async (t) => {
  let seed = 1;
  const letters = (count: number) => {
    const bytes = Buffer.alloc(count);
    for (let i = 0; i < count; i++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      bytes[i] = 0x61 + ((seed >>> 16) % 26);
    }
    return bytes.toString();
  };
  const joints = Array.from({ length: 9 }, () => letters(100));
  const needles = Array.from({ length: 8 }, (_, i) => `${joints[i]}${letters(60_000)}${joints[i + 1]}`);
  const text = needles.map((needle, i) => (i === 0 ? needle : needle.slice(100))).join('');
  t.ok(text.length > 1 << 18, 'more states than are kept');
  const compiled = compile(needleSet(...needles));
  const { root } = compiled.automaton;
  const other = createReplacer(compiled);
  t.equal(other.write(Buffer.from(`half ${needles[2]!.slice(0, 30_000)}`)).toString(), 'half ');
  const replacer = createReplacer(compiled);
  t.equal(masked(replacer, [`before ${text.slice(0, 300_000)}`, `${text.slice(300_000)} after`]), 'before *** after');
  t.equal(masked(replacer, [`again ${needles[3]} end`]), 'again *** end');
  t.not(compiled.automaton.root, root, 'states were dropped');
  t.equal(masked(other, [`${needles[2]!.slice(30_000)} end`]), '*** end', 'what another stream holds continues');
});
