// Artifacts fetched from a guest: what a build left there, and what a hostile guest sends.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import t, { type Test } from 'tap';
import { bundleOf } from '../../../host-agent/guest/artifacts/choose.js';
import { type CollectOptions, collect } from '../../../host-agent/guest/artifacts/collect.js';
import { targetHere } from '../../../host-agent/guest/artifacts/listing.js';
import { encodeFrame } from '../../../host-agent/guest/frames.js';
import { START_LINE } from '../../../host-agent/guest/program.js';
import type { GuestTransport } from '../../../host-agent/guest/transport.js';
import { openGuest } from './guest.js';

const limits = {
  maxBytes: 10_000_000,
  maxBundleBytes: 10_000_000,
  maxEntries: 10_000,
  maxDepth: 50,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
};

function open(t: Test) {
  const guest = openGuest(t);
  const [from, to] = [path.join(guest.home, 'artifacts'), path.join(guest.host, 'incoming')];
  mkdirSync(from);
  const put = (name: string, content: string, mode = 0o644) => {
    mkdirSync(path.dirname(path.join(from, name)), { recursive: true });
    writeFileSync(path.join(from, name), content, { mode });
  };
  const fetch = (more: Partial<CollectOptions> = {}, transport = guest.transport) =>
    collect(transport, { from, to }, { ...limits, ...more });
  const got = (name: string) => readFileSync(path.join(to, name), 'utf8');
  return { ...guest, from, to, put, fetch, got };
}

t.test('files, bundles with links, and modification times arrive', async (t) => {
  const { put, fetch, from, to, got } = open(t);
  put('report.txt', 'fine');
  put('logs/deep/a.log', 'x'.repeat(1000));
  put('large.ipa', 'L'.repeat(3_000_000));
  put('App.app/Contents/MacOS/App', 'binary', 0o755);
  put('F.framework/Versions/A/F', 'lib');
  symlinkSync('A', path.join(from, 'F.framework/Versions/Current'));
  symlinkSync(path.join(from, 'logs/deep/a.log'), path.join(from, 'logs/latest'));
  symlinkSync('/etc/passwd', path.join(from, 'outside'));
  symlinkSync('nowhere', path.join(from, 'dangling'));
  put('locked/secret', 'l');
  chmodSync(path.join(from, 'locked/secret'), 0);
  linkSync(path.join(from, 'report.txt'), path.join(from, 'hard'));
  mkdirSync(path.join(from, 'empty'));
  utimesSync(path.join(from, 'report.txt'), 1_600_000_000, 1_600_000_000);
  t.same(await fetch(), { leftOut: [], cut: false, halted: false });
  t.equal(got('report.txt'), 'fine');
  t.equal(got('large.ipa').length, 3_000_000);
  t.equal(got('F.framework/Versions/Current/F'), 'lib');
  t.equal(got('logs/latest'), 'x'.repeat(1000), 'an absolute link into the folder still leads there');
  t.equal(readlinkSync(path.join(to, 'logs/latest')), 'deep/a.log');
  t.equal(readlinkSync(path.join(to, 'outside')), '/etc/passwd', 'links are copied, not followed');
  t.equal(got('locked/secret'), 'l');
  t.equal(lstatSync(path.join(to, 'report.txt')).mtimeMs, 1_600_000_000_000);
  t.equal(lstatSync(path.join(to, 'report.txt')).nlink, 1);
  t.equal(lstatSync(path.join(to, 'App.app/Contents/MacOS/App')).mode & 0o777, 0o700);
  t.equal(lstatSync(path.join(to, 'report.txt')).mode & 0o777, 0o600);
  t.same(readdirSync(path.join(to, 'empty')), []);
});

t.test('a missing folder collects no files; a replaced one is reported', async (t) => {
  const { fetch, from, to } = open(t);
  rmSync(from, { recursive: true });
  await fetch();
  t.notOk(existsSync(to));
  symlinkSync('/etc', from);
  await fetch();
  t.ok(lstatSync(to).isFile());
});

t.test('entries over a limit or of another type are reported as left out; bundles are left out whole', async (t) => {
  const { put, fetch, from, to, got } = open(t);
  put('a.bin', 'a'.repeat(600));
  put('b.bin', 'b'.repeat(600));
  put('c.bin', 'c'.repeat(300));
  put('Big.app/one', '1'.repeat(600));
  put('Big.app/two', '2'.repeat(600));
  symlinkSync('one', path.join(from, 'Big.app/link'));
  put('Small.app/one', '1');
  execFileSync('/usr/bin/mkfifo', [path.join(from, 'pipe')]);
  put('deep/1/2/3/file', '');
  const result = await fetch({ maxBytes: 1000, maxBundleBytes: 1000, maxDepth: 2 });
  t.same(
    result.leftOut.sort((a, b) => (a.name < b.name ? -1 : 1)),
    [
      { name: 'Big.app', reason: 'size' },
      { name: 'b.bin', reason: 'size' },
      { name: 'deep/1/2', reason: 'other' },
      { name: 'pipe', reason: 'other' },
    ],
  );
  t.same(readdirSync(to).sort(), ['Small.app', 'a.bin', 'c.bin', 'deep']);
  t.equal(got('c.bin').length, 300, 'a smaller one after it fits');
});

t.test('the number of entries is limited', async (t) => {
  const { put, fetch, to } = open(t);
  for (let n = 0; n < 30; n += 1) put(`file-${n}`, '');
  t.match(await fetch({ maxEntries: 10 }), { cut: true });
  t.equal(readdirSync(to).length, 10);
});

t.test('many files arrive, and names that are not UTF-8', async (t) => {
  const { from, to, fetch } = open(t);
  const odd = Buffer.concat([Buffer.from('odd-'), Buffer.from([0xff, 0x0a])]);
  writeFileSync(Buffer.concat([Buffer.from(`${from}/`), odd]), 'o');
  for (let n = 0; n < 600; n += 1) writeFileSync(path.join(from, `n${n}`), String(n));
  await fetch();
  t.equal(readFileSync(Buffer.concat([Buffer.from(`${to}/`), odd]), 'utf8'), 'o');
  t.equal(readdirSync(to).length, 601);
  t.equal(readFileSync(path.join(to, 'n599'), 'utf8'), '599');
});

t.test('a stopped collection keeps what has arrived whole', async (t) => {
  const { put, fetch, to, transport } = open(t);
  put('a.txt', 'small');
  put('B.app/one', '1');
  put('B.app/two', '2'.repeat(8_000_000));
  put('Z.app/one', '1');
  put('b.txt', 'after it');
  const stop = new AbortController();
  let bytes = 0;
  const slow: GuestTransport = {
    kind: 'exec',
    open(argv) {
      const connection = transport.open(argv);
      const stdout = new PassThrough();
      connection.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        stdout.write(chunk);
        if (bytes > 1_000_000) stop.abort(new Error('stopped'));
      });
      connection.stdout.on('close', () => stdout.end());
      return { ...connection, stdout };
    },
  };
  t.match(await fetch({ signal: stop.signal }, slow), { halted: true });
  const names = readdirSync(to);
  t.notOk(names.includes('B.app') || names.includes('Z.app'), 'no part of a bundle');
  t.match(await fetch({ signal: stop.signal }), { halted: true });
});

/** A record of a listing. */
function entry(type: string, name: string | Buffer, more: { size?: number; target?: string } = {}): Buffer {
  const [bytes, target] = [Buffer.from(name as string), Buffer.from(more.target ?? '')];
  const head = Buffer.alloc(23);
  head.write(type);
  head.writeUInt16BE(0o644, 1);
  head.writeBigUInt64LE(BigInt(more.size ?? 0), 3);
  head.writeDoubleLE(Number.NaN, 11);
  head.writeUInt16BE(bytes.length, 19);
  head.writeUInt16BE(target.length, 21);
  return Buffer.concat([head, bytes, target]);
}

function files(...all: [row: number, content: string][]): Buffer {
  return Buffer.concat(
    all.flatMap(([row, content]) => {
      const head = Buffer.alloc(8);
      head.writeUInt32BE(row, 0);
      head.writeUInt32BE(content.length, 4);
      return [head, Buffer.from(content)];
    }),
  );
}

function answering(...frames: Buffer[]): GuestTransport {
  return {
    kind: 'exec',
    open() {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      stdin.resume();
      stdout.write(`\n${START_LINE}\n`);
      for (const frame of frames) stdout.write(frame);
      stdout.end();
      return {
        stdin,
        stdout,
        closed: Promise.resolve({ code: 0, stderr: '' }),
        destroy: () => stdout.destroy(),
      };
    },
  };
}

t.test('a hostile guest cannot write anywhere else', async (t) => {
  const { fetch, to, host } = open(t);
  const root = encodeFrame('root', 'real /x');
  const listed = encodeFrame('listed');
  const list = (...entries: Buffer[]) => encodeFrame('entries', Buffer.concat(entries));
  for (const name of ['../evil', '/etc/evil', 'a/../../evil', 'a//b', './a', '', 'a\0b', '..']) {
    const call = fetch({}, answering(root, list(entry('f', name, { size: 1 })), listed));
    await t.rejects(call, { name: 'GuestError', code: 'bad_answer' }, JSON.stringify(name));
    t.notOk(existsSync(to));
  }
  const precious = path.join(host, 'precious');
  mkdirSync(precious);
  const link = entry('l', 'a', { target: precious });
  const through = [entry('f', 'a/evil', { size: 4 }), entry('d', 'a'), entry('f', 'a', { size: 4 })];
  await fetch(
    {},
    answering(
      root,
      list(link, ...through),
      listed,
      encodeFrame('files', files([3, 'evil'], [1, 'evil'])),
      encodeFrame('done'),
    ),
  );
  t.same(readdirSync(precious), [], 'nothing is written through a link');
  rmSync(to, { recursive: true });

  const one = list(entry('f', 'a', { size: 4 }));
  const lies: [string, Buffer[]][] = [
    ['more than listed', [encodeFrame('files', files([0, 'eevil']))]],
    ['a file that was not asked for', [encodeFrame('files', files([7, 'evil']))]],
    ['twice', [encodeFrame('files', files([0, 'evil'], [0, 'evil']))]],
    ['a cut record', [encodeFrame('files', files([0, 'evil']).subarray(0, 10))]],
    [
      'endless data',
      [encodeFrame('file', Buffer.from([0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0])), encodeFrame('data', 'evil!')],
    ],
    ['another frame', [encodeFrame('gift')]],
  ];
  for (const [what, frames] of lies) {
    await t.rejects(fetch({}, answering(root, one, listed, ...frames)), { code: 'bad_answer' }, what);
    rmSync(to, { recursive: true });
  }
  const endless = Array.from({ length: 30 }, (_, n) => list(entry('d', `d${n}`)));
  await t.rejects(fetch({ maxEntries: 20 }, answering(root, ...endless)), { code: 'bad_answer' });
  await t.rejects(fetch({}, answering(root, encodeFrame('entries', 'dxx'))), { code: 'bad_answer' });
  const target = Buffer.alloc(60_000, 'x');
  const long = Array.from({ length: 200 }, (_, n) => list(entry('l', `l${n}`, { target: target.toString() })));
  await t.rejects(
    fetch({ maxEntries: 1000 }, answering(root, ...long, listed, encodeFrame('done'))),
    { code: 'bad_answer' },
    'names without end',
  );
});

t.test('bundles and targets of links by their paths', async (t) => {
  t.equal(bundleOf('out/App.app/Contents/a', false), 'out/App.app');
  t.equal(bundleOf('out/App.app', true), 'out/App.app');
  t.equal(bundleOf('out/App.app', false), null);
  t.equal(bundleOf('out/.app/a', false), null);
  const target = (link: string, to: string) => targetHere({ path: link, target: to }, ['/g/out', '/private/g/out']);
  t.equal(target('a/b/link', '/g/out/a/c'), '../c');
  t.equal(target('link', '/private/g/out/x'), 'x');
  t.equal(target('link', '/g/out'), '.');
  t.equal(target('link', '/g/outside'), '/g/outside');
  t.equal(target('link', '../x'), '../x');
});
