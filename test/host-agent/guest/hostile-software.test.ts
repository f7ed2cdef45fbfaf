// A guest that reports false or invalid data about its software: at worst its own Mac is not changed.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { encodeFrame } from '../../../host-agent/guest/frames.js';
import { START_LINE } from '../../../host-agent/guest/program.js';
import { fields } from '../../../host-agent/guest/run.js';
import { captureBaseline, keepCachesOnly } from '../../../host-agent/guest/software/baseline.js';
import { inspectGuest } from '../../../host-agent/guest/software/inspect.js';
import { selectXcode } from '../../../host-agent/guest/software/select-xcode.js';
import { sendFile } from '../../../host-agent/guest/software/send-file.js';
import { listXcodes } from '../../../host-agent/guest/software/xcodes.js';
import { execTransport, type GuestTransport } from '../../../host-agent/guest/transport.js';
import { defaultSoftwareLimits } from '../../../host-agent/limits.js';

const timeoutMs = 60_000;
const done = (payload: string | Buffer = '') => encodeFrame('done', payload);
const printed = (text: string) => [encodeFrame('output', text), done('0')];

/** A guest that answers its calls with these frames in turn, and repeats the last one. */
function answering(t: Test, ...answers: (Buffer | Buffer[])[]): GuestTransport {
  const folder = t.testdir();
  const files = answers.map((answer, index) => {
    const file = path.join(folder, String(index));
    writeFileSync(file, Buffer.concat([Buffer.from(`\n${START_LINE}\n`), ...[answer].flat()]));
    return file;
  });
  let call = 0;
  return execTransport(() => {
    const file = files[Math.min(call++, files.length - 1)] ?? '';
    return { file: '/bin/cat', args: [file], env: {} };
  });
}

const app = (...texts: string[]) => encodeFrame('app', fields(texts));

t.test('an endless or invalid list of Xcodes is refused', async (t) => {
  const many = Array.from({ length: 101 }, (_, n) => app(`/Applications/${n}.app`, `/${n}`, '', ''));
  for (const [what, answer] of [
    ['101 applications', [...many, done()]],
    ['another frame', [encodeFrame('output', 'x'), done()]],
  ] as const) {
    await t.rejects(listXcodes(answering(t, [...answer]), { timeoutMs }), { code: 'bad_answer' }, what);
  }
  const junk = [
    app(),
    app('/Applications/A.app', 'relative', '', '<plist>'),
    encodeFrame('app', Buffer.from([0xff, 0, 0xfe, 0, 0])),
    done(),
  ];
  t.same(await listXcodes(answering(t, junk), { timeoutMs }), []);
});

t.test('malformed property lists do not take long to parse', async (t) => {
  const size = 300_000;
  for (const text of ['<!--', '<key>', '<dict>', '<string>a', '<key>CFBundleShortVersionString</key>', '&amp;']) {
    const plist = text.repeat(size / text.length);
    const before = process.cpuUsage();
    t.same(await listXcodes(answering(t, [app('/a', '/a', plist, plist), done()]), { timeoutMs }), []);
    const { user, system } = process.cpuUsage(before);
    t.ok(user + system < 2_000_000, `${text}: ${(user + system) / 1000} ms`);
  }
});

t.test('an inspection refuses invalid answers of a guest', async (t) => {
  const session = done(fields(['501', 'admin', '/Users/admin', '/bin/zsh', '/Users/admin', '5.34.1']));
  for (const [what, answer, message] of [
    ['root', done(fields(['0', 'root', '/var/root', '', '/var/root', '5.34.1'])), /must not be root/],
    ['an option as name', done(fields(['501', '-rf', '/x', '', '/x', '5.34.1'])), /no valid name/],
    ['another home', done(fields(['501', 'admin', '/Users/admin', '', '/tmp', '5.34.1'])), /home folder/],
    ['an old Perl', done(fields(['501', 'admin', '/a', '', '/a', '5.8.9'])), /Perl is too old/],
    ['nothing', done(), /Perl is too old/],
  ] as const) {
    const refused = inspectGuest(answering(t, answer));
    await t.rejects(refused, { name: 'UnusableImageError', message }, what);
  }
  const macos = printed('26.1\n; rm -rf /\n');
  await t.rejects(inspectGuest(answering(t, session, macos)), {
    message: 'the image does not contain macOS',
  });
  const flood = Array.from({ length: 5 }, () => encodeFrame('output', 'x'.repeat(1024 * 1024)));
  await t.rejects(inspectGuest(answering(t, session, flood)), { code: 'too_much_output' });
});

t.test('an Xcode whose version differs from its property list is refused', async (t) => {
  const version = '<plist><dict><key>CFBundleShortVersionString</key><string>26.1</string></dict></plist>';
  const list = [app('/Applications/X.app', '/X', '', version), done()];
  const lies = printed(`Xcode 99\nBuild version 1\n${'\u202e'.repeat(1000)}`);
  const answers = [list, printed('/X\n'), [done('0')], [done('0')], printed('/X\n'), lies];
  await t.rejects(selectXcode(answering(t, ...answers), '26.1'), {
    message: 'Xcode 26.1 was selected, but 99 (1) runs',
  });
});

t.test('invalid answers about a home folder are refused', async (t) => {
  const described = captureBaseline(answering(t, [encodeFrame('end'), done()]));
  await t.rejects(described, { code: 'bad_answer' });
  const limits = { ...defaultSoftwareLimits, homeContentBytes: 1, homeFiles: 1 };
  const big = Array.from({ length: 2 }, () => encodeFrame('entries', Buffer.alloc(1024 * 1024)));
  await t.rejects(captureBaseline(answering(t, [...big, done()]), { limits }), { code: 'too_much_output' });
  const baseline = await captureBaseline(answering(t, [encodeFrame('home', 'x'), done()]));
  const none = [done('2')];
  const reset = await keepCachesOnly(answering(t, none, [done('1\0many\0-5')], [done()], none), baseline);
  t.same(reset, { deleted: 1, restored: 0, differ: 0 });
});

t.test('a file is only deleted where it was sent to', async (t) => {
  const file = path.join(t.testdir({ 'a.dmg': 'x' }), 'a.dmg');
  for (const answer of ['/', '/Users/admin', '/private/tmp/cidermill-file-a/../../x/file.dmg', '']) {
    const transport = execTransport(() => ({
      file: '/usr/bin/printf',
      args: ['\\n%s\\ndone %d\\n%s', START_LINE, String(answer.length), answer],
      env: {},
    }));
    await t.rejects(sendFile(transport, file, { timeoutMs, percent: () => {} }), { code: 'bad_answer' }, answer);
  }
});
