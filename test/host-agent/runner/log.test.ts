// The path of a log inside a build process: end mark, batches, window, spool.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { createBuildLog } from '../../../host-agent/runner/build-log.js';
import { createEndMarkScanner, newMark } from '../../../host-agent/runner/end-mark.js';
import { createLogWindow } from '../../../host-agent/runner/log-window.js';
import { openSpool } from '../../../host-agent/runner/spool.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { characterBoundary, incompleteTail } from '../../../shared/utf8.js';
import { sha256 } from '../../harness/sha256.js';
import { tempFolder } from './rig.js';

/** Cuts bytes at the given places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, n) => bytes.subarray(from, places[n] ?? bytes.length));
}

function windowed(chunks: readonly Buffer[], headBytes: number, tailBytes: number) {
  const out: Buffer[] = [];
  const window = createLogWindow({ headBytes, tailBytes }, (bytes) => out.push(Buffer.from(bytes)));
  for (const chunk of chunks) window.write(chunk);
  const { omittedBytes } = window.end();
  return { text: Buffer.concat(out).toString('latin1'), omittedBytes };
}

const someText = fc
  .array(fc.constantFrom('a', 'bc', '\n', 'ä', '€', '\u{1f600}', 'line\n', '\r\n'), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join('')));
const someBytes = fc.oneof(someText, fc.uint8Array({ maxLength: 80 }).map(Buffer.from));
const cuts = fc.array(fc.nat(200), { maxLength: 8 });

t.test('what is kept of a log does not depend on its chunks', async () => {
  fc.assert(
    fc.property(someBytes, cuts, fc.nat(60), fc.nat(40), (bytes, places, head, tail) => {
      const whole = windowed([bytes], head, tail);
      const cut = windowed(pieces(bytes, places), head, tail);
      return whole.text === cut.text && whole.omittedBytes === cut.omittedBytes;
    }),
    { numRuns: 2000 },
  );
});

t.test('a log that fits into head and tail is kept byte for byte', async () => {
  fc.assert(
    fc.property(someBytes, cuts, fc.nat(100), (bytes, places, head) => {
      const tail = Math.max(0, bytes.length - head) + 3;
      const { text, omittedBytes } = windowed(pieces(bytes, places), head, tail);
      return text === bytes.toString('latin1') && omittedBytes === 0;
    }),
    { numRuns: 1000 },
  );
});

t.test('a log that is too long loses its middle, says how much, and never splits a character', async (t) => {
  fc.assert(
    fc.property(someText, cuts, fc.nat(40), fc.integer({ min: 4, max: 40 }), (bytes, places, head, tail) => {
      const { text, omittedBytes } = windowed(pieces(bytes, places), head, tail);
      if (omittedBytes === 0) return text === bytes.toString('latin1');
      const marker = `[cidermill] ${omittedBytes} ${omittedBytes === 1 ? 'byte' : 'bytes'} left out here\n`;
      const at = text.indexOf(marker);
      const before = Buffer.from(text.slice(0, at), 'latin1').toString('utf8');
      const after = Buffer.from(text.slice(at + marker.length), 'latin1').toString('utf8');
      const kept = text.length - marker.length;
      const added = kept + omittedBytes - bytes.length;
      return (
        !before.includes('\ufffd') &&
        !after.includes('\ufffd') &&
        (before === '' || before.endsWith('\n')) &&
        (added === 0 || added === 1) &&
        bytes.toString('utf8').endsWith(after)
      );
    }),
    { numRuns: 2000 },
  );

  const lines = Buffer.from(Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join(''));
  t.equal(
    windowed([lines], 14, 20).text,
    'line 0\nline 1\n[cidermill] 760 bytes left out here\nline 98\nline 99\n',
    'the tail begins with a line',
  );
  t.match(windowed([lines], 17, 20).text, /^line 0\nline 1\nlin\n\[cidermill\] \d+ bytes/);
  t.equal(windowed([Buffer.from('x'.repeat(50))], 5, 5).text, 'xxxxx\n[cidermill] 40 bytes left out here\nxxxxx');
  t.equal(windowed([Buffer.from('a')], 0, 0).text, '[cidermill] 1 byte left out here\n');
  t.equal(windowed([Buffer.from('abc')], 0, 0).text, '[cidermill] 3 bytes left out here\n');
});

t.test('UTF-8 is cut between characters only', async (t) => {
  const text = 'a€\u{1f600}äz';
  const bytes = Buffer.from(text);
  for (let limit = 0; limit <= bytes.length; limit++) {
    const at = characterBoundary(bytes, limit);
    t.ok(at <= limit && limit - at < 4);
    t.notMatch(bytes.subarray(0, at).toString(), '\ufffd', `cut at ${limit}`);
    const missing = incompleteTail(bytes.subarray(0, limit));
    t.notMatch(bytes.subarray(0, limit - missing).toString(), '\ufffd', `held at ${limit}`);
  }
  t.equal(characterBoundary(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x80]), 5), 5, 'bytes that are no text');
  t.equal(incompleteTail(Buffer.from([0x61, 0xff])), 0);
});

t.test('the end mark is found in any chunking, and no output is lost or held forever', async () => {
  const mark = newMark();
  const nearMisses = fc.constantFrom(
    '\x1e',
    mark,
    mark.slice(0, 7),
    `${mark} end`,
    `${mark} end x\n`,
    `${mark} end 1234\n`,
  );
  const output = fc.array(fc.oneof(nearMisses, fc.string({ maxLength: 9 })), { maxLength: 12 });
  fc.assert(
    fc.property(output, fc.array(fc.nat(400), { maxLength: 30 }), fc.nat(255), (parts, places, code) => {
      const printed = Buffer.from(parts.join(''));
      const all = Buffer.concat([
        Buffer.from(`echo of the terminal ${mark}\r\n${mark}+\n`),
        printed,
        Buffer.from(`${mark}-${code}\nlate`),
      ]);
      const out: Buffer[] = [];
      const scanner = createEndMarkScanner(mark, (bytes) => out.push(Buffer.from(bytes)));
      for (const piece of pieces(all, places)) scanner.scan(piece);
      return Buffer.concat(out).equals(printed) && scanner.exitCode() === code && scanner.begun();
    }),
    { numRuns: 3000 },
  );
});

t.test('a wrapper that dies leaves what it had printed, or why it did not start', async (t) => {
  const mark = newMark();
  const out: string[] = [];
  const begun = createEndMarkScanner(mark, (bytes) => out.push(bytes.toString()));
  begun.scan(Buffer.from(`${mark}+\nhalf a line${mark.slice(0, 4)}`));
  begun.flush();
  t.equal(out.join(''), `half a line${mark.slice(0, 4)}`);
  t.equal(begun.exitCode(), null);

  const never = createEndMarkScanner(mark, () => t.fail('there was no output'));
  never.scan(Buffer.from('execvp(3) failed.: No such file or directory\r\n'));
  never.flush();
  t.notOk(never.begun());
});

/** A log without masking, and its output. */
function batchedLog(t: Test) {
  const clock = createAdvancingClock({ start: 1000 });
  const written: string[] = [];
  const log = createBuildLog({
    mask: { stream: () => ({ write: (chunk) => chunk, end: () => Buffer.alloc(0) }), text: (text) => text },
    window: {
      write: (bytes) => written.push(bytes.toString()),
      writeOwn: (line) => written.push(`${/(^|\n)$/.test(written.join('')) ? '' : '\n'}${line}\n`),
      end: () => ({ omittedBytes: 0 }),
    },
    clock,
    batchBytes: 10,
    batchMs: 4,
    floodBytes: 8,
    floodMs: 20,
    onWritten: () => undefined,
    onBroken: (error) => t.fail(String(error)),
  });
  return { clock, written, log };
}

t.test('the first output after a pause is passed on at once, a flood in batches', async (t) => {
  const { clock, written, log } = batchedLog(t);
  log.write(Buffer.from('first'));
  t.same(written, ['first']);
  log.write(Buffer.from('2'));
  log.write(Buffer.from('3'));
  t.same(written, ['first'], 'what follows closely waits for company');
  await clock.advance(4);
  t.same(written, ['first', '23']);
  for (const some of ['012', '345', '678', '9ab', 'cde', 'fgh', 'ijk', 'l']) log.write(Buffer.from(some));
  t.same(written.slice(2), ['0123456789', 'abcdefghij'], 'full batches do not wait');
  log.line('a line of the service');
  t.equal(written.slice(4).join(''), 'kl\n[cidermill] a line of the service\n', 'and it stands alone');
  await clock.advance(4);
  log.write(Buffer.from('end'));
  log.end();
  t.equal(written.join(''), 'first230123456789abcdefghijkl\n[cidermill] a line of the service\nend');
});

t.test('much output at once does not wait, and stays behind what came before', async (t) => {
  const { clock, written, log } = batchedLog(t);
  log.write(Buffer.from('a'));
  log.write(Buffer.from('b'));
  log.write(Buffer.from('0123456789abcdef'));
  t.same(written, ['a', 'b', '0123456789abcdef']);
  log.write(Buffer.from('c'));
  await clock.advance(19);
  t.equal(written.length, 3, 'it is a flood');
  await clock.advance(1);
  t.same(written.slice(3), ['c']);
});

t.test('in a flood batches get longer to fill, until it is over', async (t) => {
  const { clock, written, log } = batchedLog(t);
  log.write(Buffer.from('12345678'));
  log.write(Buffer.from('ab'));
  await clock.advance(19);
  t.same(written, ['12345678'], 'a large batch gives the next one time');
  await clock.advance(1);
  t.same(written, ['12345678', 'ab']);
  log.write(Buffer.from('c'));
  await clock.advance(4);
  t.same(written, ['12345678', 'ab', 'c'], 'a small one ends the flood');
});

t.test('the spool reports what is on disk, also when the disk was full', async (t) => {
  const file = path.join(tempFolder(t), 'spool');
  let room = 25;
  const spool = openSpool(file, (fd, bytes, offset) => {
    if (room === 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    const part = bytes.subarray(offset, offset + Math.min(room, 7));
    room -= part.length;
    return writeSync(fd, part);
  });
  spool.write(Buffer.from('0123456789'));
  t.throws(() => spool.write(randomBytes(50)), { code: 'ENOSPC' });
  spool.sync();
  const { bytes, sha256: hash } = spool.close();
  t.equal(bytes, 25);
  t.equal(hash, sha256(readFileSync(file)));
});
