// Calls of programs in a guest: frames, errors, broken connections, invalid answers.
import { PassThrough } from 'node:stream';
import t from 'tap';
import { callGuest } from '../../../host-agent/guest/call.js';
import { encodeFrame, FRAME_BYTES } from '../../../host-agent/guest/frames.js';
import { type GuestProgram, guestProgram, START_LINE } from '../../../host-agent/guest/program.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { execTransport, type GuestTransport } from '../../../host-agent/guest/transport.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { until } from '../../harness/until.js';
import { openGuest } from './guest.js';

const timeoutMs = 60_000;

const perl = (text: string): GuestProgram => ({
  language: 'perl',
  source: Buffer.concat([guestProgram('frames.pl').source, Buffer.from(`\n${text}`)]),
});

/** A guest that answers every call with these bytes. */
function answering(...chunks: (string | Buffer)[]): GuestTransport {
  return {
    kind: 'exec',
    open() {
      const [stdin, stdout] = [new PassThrough(), new PassThrough()];
      stdin.resume();
      for (const chunk of chunks) stdout.write(chunk);
      stdout.end();
      return {
        stdin,
        stdout,
        closed: Promise.resolve({ code: 1, stderr: 'VM "x" is not running\n' }),
        destroy: () => stdout.destroy(),
      };
    },
  };
}
const started = `\n${START_LINE}\n`;

t.test('a program gets its input frames and answers with frames', async (t) => {
  const { transport, opened } = openGuest(t);
  const seen: string[] = [];
  const program = perl(`
    my $text = receive_only('text');
    send_frame('upper', uc $text);
    finish(length $text);
  `);
  const done = await callGuest(transport, program, [encodeFrame('text', 'a\0b\nsecret')], {
    timeoutMs,
    onFrame: ({ type, payload }) => void seen.push(`${type} ${payload}`),
  });
  t.equal(done.toString(), '10');
  t.same(seen, ['upper A\0B\nSECRET']);
  t.notMatch(opened.join(' '), 'secret', 'neither program nor input are in the arguments');
  t.ok(opened.join(' ').length < 1000);
});

t.test('frames of a megabyte cross both ways at the same time', async (t) => {
  const { transport } = openGuest(t);
  const program = perl(`
    while (1) {
      my ($type, $payload) = receive_frame();
      last if $type eq 'end';
      send_frame('back', $payload);
    }
    finish();
  `);
  const big = Buffer.alloc(FRAME_BYTES, 'x');
  let back = 0;
  const input = [...Array.from({ length: 8 }, () => encodeFrame('big', big)), encodeFrame('end')];
  await callGuest(transport, program, input, {
    timeoutMs,
    onFrame({ payload }) {
      back += payload.equals(big) ? 1 : 0;
    },
  });
  t.equal(back, 8);
});

t.test('errors carry the code of the program or the name of the system error', async (t) => {
  const { transport } = openGuest(t);
  const calls: [string, string, RegExp][] = [
    [`fail('no_xcode', 'There is no Xcode 26.1.')`, 'no_xcode', /^There is no Xcode 26\.1\.$/],
    [`open my $f, '<', '/no/such/file' or fail_call('open')`, 'ENOENT', /^open: No such file/],
    [`fail('bad', "a\\x1b[31m\\nb")`, 'bad', /^a \[31m\nb$/],
  ];
  for (const [text, code, message] of calls) {
    await t.rejects(callGuest(transport, perl(text), [], { timeoutMs }), {
      name: 'GuestError',
      code,
      message,
    });
  }
});

t.test('a call whose connection ends early fails with the error of the local command', async (t) => {
  const { transport } = openGuest(t);
  const fails = (what: GuestTransport, program = perl('')) => callGuest(what, program, [], { timeoutMs });
  await t.rejects(fails(transport, perl('die "broken\n"')), {
    name: 'GuestUnreachableError',
    message: /: broken$/,
  });
  await t.rejects(fails(answering(started)), { name: 'GuestUnreachableError', message: /is not running$/ });
  const missing = execTransport(() => ({ file: '/no/such/tart', args: [], env: {} }));
  await t.rejects(fails(missing), { name: 'GuestUnreachableError', message: /ENOENT/ });
});

t.test('answers of a hostile guest are refused', async (t) => {
  const hostile: [string, (string | Buffer)[]][] = [
    ['no frame', [started, 'hello there, this is no frame at all']],
    ['too long', [started, `done ${FRAME_BYTES + 1}\n`]],
    ['negative', [started, 'done -1\n']],
    ['upper case', [started, 'DONE 0\n']],
    ['a type that was not asked for', [started, 'gift 1\nx', 'done 0\n']],
    ['an error without a code', [started, 'failed 4\n; rm']],
    ['never starts', [Buffer.alloc(2 * FRAME_BYTES)]],
  ];
  for (const [what, chunks] of hostile) {
    const call = callGuest(answering(...chunks), perl(''), [], { timeoutMs });
    await t.rejects(call, { name: 'GuestError', code: 'bad_answer' }, what);
  }
  const noisy = answering(
    'Last login: today\nwelcome',
    started.slice(0, 5),
    started.slice(5),
    'do',
    'ne 2',
    '\no',
    'k',
  );
  t.equal((await callGuest(noisy, perl(''), [], { timeoutMs })).toString(), 'ok', 'output of a login shell is skipped');
});

t.test('a call and its process end at the timeout or when the signal is aborted', async (t) => {
  const { transport, connections } = openGuest(t);
  const clock = createAdvancingClock({ start: 0 });
  const late = callGuest(transport, perl('sleep 600'), [], { timeoutMs: 5000, clock });
  const failed = t.rejects(late, { name: 'GuestUnreachableError', message: /within 5 s/ });
  await clock.advance(5000);
  await failed;
  const stop = new AbortController();
  const stopped = callGuest(transport, perl('sleep 600'), [], { timeoutMs, signal: stop.signal });
  stop.abort(new Error('stopped by us'));
  await t.rejects(stopped, { message: 'stopped by us' });
  await until(() => connections.size === 0, 'the processes end');
  await t.rejects(callGuest(transport, perl(''), [], { timeoutMs, signal: stop.signal }), {
    message: 'stopped by us',
  });
});

t.test('an error of the input ends the call with it', async (t) => {
  const { transport } = openGuest(t);
  async function* input() {
    yield encodeFrame('text', 'a');
    throw new Error('the file cannot be read');
  }
  const call = callGuest(transport, perl(`receive_frame() while 1`), input(), { timeoutMs });
  await t.rejects(call, { message: 'the file cannot be read' });
});

t.test('a shell program runs with its input', async (t) => {
  const { transport } = openGuest(t);
  const program: GuestProgram = {
    language: 'sh',
    source: Buffer.from(`read -r word; printf 'done %d\\n%s' "\${#word}" "$word"`),
  };
  t.equal((await callGuest(transport, program, [Buffer.from('word\n')], { timeoutMs })).toString(), 'word');
});

t.test('commands run in the guest with their status, output and input', async (t) => {
  const { transport, home } = openGuest(t);
  const script = 'cat; printf "%s" "$HOME" >&2; printf "$WORD"; exit 7';
  const ran = await runInGuest(transport, ['/bin/sh', '-c', script], {
    timeoutMs,
    input: Buffer.alloc(300_000, 'i'),
    env: { WORD: 'a b' },
  });
  t.equal(ran.status, 7);
  t.equal(ran.stdout.toString(), `${'i'.repeat(300_000)}a b`);
  t.equal(ran.stderr, home);
  t.equal((await runInGuest(transport, ['/bin/sh', '-c', 'kill -9 $$'], { timeoutMs })).status, 137);
  t.equal((await runInGuest(transport, ['/no/such'], { timeoutMs })).status, 127);
  const daemon = await runInGuest(transport, ['/bin/sh', '-c', 'sleep 600 & echo $!'], { timeoutMs });
  t.equal(daemon.status, 0, 'a process that keeps the output open does not hold up the call');
  process.kill(Number(daemon.stdout));
  const flood = runInGuest(transport, ['/usr/bin/yes'], { timeoutMs, maxBytes: 100_000 });
  await t.rejects(flood, { name: 'GuestError', code: 'too_much_output' });
});

t.test('a command is killed with its process group when the call ends early', async (t) => {
  const { transport } = openGuest(t);
  const stop = new AbortController();
  let pid = 0;
  const call = runInGuest(transport, ['/bin/sh', '-c', 'sleep 600 & echo $!; wait'], {
    timeoutMs,
    signal: stop.signal,
    onOutput(bytes) {
      pid = Number(bytes);
      stop.abort(new Error('enough'));
    },
  });
  await t.rejects(call, { message: 'enough' });
  const isGone = () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      // No such process.
      return true;
    }
  };
  await until(isGone, 'the command ends');
});
