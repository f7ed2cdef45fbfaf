import fc from 'fast-check';
import t from 'tap';
import { backoffMs } from '../../shared/backoff.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import { startHeartbeat } from '../../shared/heartbeat.js';
import {
  agentMessage,
  controlMessage,
  decodeOutput,
  encodeOutput,
  readSourceManifest,
  sourceManifest,
} from '../../shared/protocol/index.js';

t.test('a still clock runs due timers in order, and then the timers that they set', async (t) => {
  const clock = createAdvancingClock({ start: 1_000 });
  const seen: string[] = [];
  clock.setTimeout(() => seen.push(`late ${clock.now()}`), 500);
  clock.setTimeout(() => {
    seen.push(`early ${clock.now()}`);
    clock.setTimeout(() => seen.push(`child ${clock.now()}`), 50);
  }, 100);
  const cancelled = clock.setTimeout(() => seen.push('never'), 200);
  cancelled.cancel();
  cancelled.cancel();
  clock.setTimeout(() => seen.push('after'), 501);
  await clock.advance(500);
  t.same(seen, ['early 1100', 'child 1150', 'late 1500']);
  t.equal(clock.now(), 1_500);
  await clock.advance(1);
  t.equal(seen.at(-1), 'after');
});

t.test('time that is skipped passes at once: what has become due runs afterwards, in order', async (t) => {
  const clock = createAdvancingClock({ start: 1_000 });
  const seen: string[] = [];
  const everyMinute = () => {
    seen.push(`minute ${clock.now()}`);
    clock.setTimeout(everyMinute, 60_000);
  };
  clock.setTimeout(everyMinute, 60_000);
  clock.setTimeout(() => seen.push(`second ${clock.now()}`), 1_000);
  clock.setTimeout(() => seen.push('later'), 3_600_001);
  await clock.skip(3_600_000);
  t.same(seen, ['second 3601000', 'minute 3601000']);
  await clock.advance(60_000);
  t.same(seen.slice(2), ['later', 'minute 3661000']);
});

t.test('a timer never runs inside the call that sets it, even with no wait', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  let ran = false;
  clock.setTimeout(() => {
    ran = true;
  }, -5);
  t.notOk(ran);
  await clock.advance(0);
  t.ok(ran);
});

t.test('a test clock on top of another clock runs by itself and can be advanced', async (t) => {
  const base = createAdvancingClock({ start: 0 });
  const clock = createAdvancingClock({ base, offset: 10_000 });
  const seen: number[] = [];
  clock.setTimeout(() => seen.push(clock.now()), 100);
  clock.setTimeout(() => seen.push(clock.now()), 86_400_000);
  await base.advance(100);
  t.same(seen, [10_100]);
  await clock.advance(86_400_000);
  t.equal(seen.length, 2);
  t.equal(clock.offset(), 10_000 + 86_400_000);
  clock.setTimeout(() => seen.push(-1), 5);
  clock.stop();
  await base.advance(1_000);
  t.equal(seen.length, 2, 'nothing runs after stop');
});

t.test('the system clock supports waits beyond 2^31 ms', async (t) => {
  let fired = false;
  const timer = systemClock.setTimeout(
    () => {
      fired = true;
    },
    2 ** 31 + 5,
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  timer.cancel();
  t.notOk(fired);
});

t.test('a silent connection is given up after the given number of periods', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const seen: string[] = [];
  const heartbeat = startHeartbeat({
    clock,
    everyMs: 10,
    periods: 3,
    ping: () => seen.push(`ping ${clock.now()}`),
    lost: () => seen.push(`lost ${clock.now()}`),
  });
  await clock.advance(35);
  t.same(seen.splice(0), ['ping 10', 'ping 20', 'ping 30']);
  heartbeat.heard();
  await clock.advance(100);
  t.same(seen.splice(0), ['ping 40', 'ping 50', 'ping 60', 'lost 70']);

  const once = { clock, everyMs: 10, ping: () => seen.push('ping'), lost: () => seen.push('lost') };
  startHeartbeat(once);
  await clock.advance(20);
  t.same(seen.splice(0), ['ping', 'lost'], 'one period by default');
  startHeartbeat(once).stop();
  await clock.advance(20);
  t.same(seen, []);
});

t.test('backoff stays between 0 and its maximum', async (t) => {
  fc.assert(
    fc.property(fc.nat(200), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
      const ms = backoffMs(attempt, { baseMs: 250, maxMs: 30_000, random: () => random });
      return ms >= 0 && ms <= 30_000 && ms <= 250 * 2 ** Math.min(attempt, 30);
    }),
  );
  t.equal(backoffMs(3, { baseMs: 100, maxMs: 10_000, random: () => 1 }), 800);
});

t.test('an output frame is decoded as it was encoded, and an invalid one is refused', async (t) => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,40}$/),
      fc.nat(),
      fc.uint8Array(),
      (id, offset, bytes) => {
        const header = { build_id: id, attempt: 2, offset };
        const back = decodeOutput(encodeOutput(header, Buffer.from(bytes)));
        return back.data.equals(Buffer.from(bytes)) && back.header.offset === offset && back.header.build_id === id;
      },
    ),
  );
  const bad: [string, Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['short', Buffer.from([0, 0, 1])],
    ['header longer than the frame', Buffer.from([0, 0, 0, 200, 123])],
    ['header over its bound', Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.alloc(70_000)])],
    ['not JSON', Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('xx')])],
    ['negative offset', encodeOutput({ build_id: 'rb_1', attempt: 1, offset: -1 }, Buffer.alloc(1))],
    ['a path as id', encodeOutput({ build_id: '../up', attempt: 1, offset: 0 }, Buffer.alloc(1))],
    ['attempt 0', encodeOutput({ build_id: 'rb_1', attempt: 0, offset: 0 }, Buffer.alloc(1))],
  ];
  for (const [name, frame] of bad) t.throws(() => decodeOutput(frame), name);
});

t.test('messages of an unknown type or with a missing field do not validate', async (t) => {
  for (const message of [{}, { type: 'party' }, { type: 'desire_ack' }, { type: 'desire_ack', sequence: -1 }, null]) {
    t.notOk(agentMessage.safeParse(message).success);
    t.notOk(controlMessage.safeParse(message).success);
  }
  t.ok(agentMessage.safeParse({ type: 'desire_ack', sequence: 4 }).success);
  t.ok(controlMessage.safeParse({ type: 'desire', sequence: 1, builds: [], macs: [] }).success);
});

t.test('the fast parser of a manifest accepts and refuses the same as its schema', async (t) => {
  const file = { path: 'a/b.swift', sha256: 'ab'.repeat(32), size: 3, mode: 0o644 };
  const whole = { files: [file], links: [{ path: 'l', target: 'a' }], directories: ['d'] };
  const files = [
    file,
    { ...file, mode: 0o755, size: 0, more: 'is left out' },
    { ...file, size: -1 },
    { ...file, size: 1.5 },
    { ...file, size: 2 ** 53 },
    { ...file, size: '3' },
    { ...file, mode: 0o777 },
    { ...file, sha256: 'AB'.repeat(32) },
    { ...file, sha256: `${'ab'.repeat(32)}\n` },
    { ...file, path: 7 },
    { path: 'a' },
    null,
    'a',
    [],
  ];
  const others = [{}, null, [], { ...whole, files: {} }, { ...whole, links: [{ path: 'l' }] }, { files: [] }];
  for (const value of [...files.map((one) => ({ ...whole, files: [file, one] })), ...others, whole]) {
    const expected = sourceManifest.safeParse(value);
    if (expected.success) t.same(readSourceManifest(value), expected.data);
    else t.throws(() => readSourceManifest(value), { name: 'ZodError' }, JSON.stringify(value));
  }
});
