import fc from 'fast-check';
import t from 'tap';
import { needsMask } from '../../../host-agent/daemon/link/connection.js';
import { createOutputPump } from '../../../host-agent/daemon/link/output-pump.js';
import { defaultLinkLimits, type LinkLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { decodeOutput, type OutputHeader, SERVICE_RANGES, type ServiceBytes } from '../../../shared/protocol/index.js';
import { cases } from '../../harness/soak.js';

const settle = async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};

function pumpOver(logs: Map<string, Buffer>, more: Partial<LinkLimits> = {}) {
  const clock = createAdvancingClock({ start: 0 });
  const frames: { header: OutputHeader; data: Buffer }[] = [];
  const state = { waiting: 0, up: true, taken: [] as Buffer[] };
  let reads = 0;
  /** Length of a log; default: all of it. */
  const written = new Map<string, number>();
  /** The service's lines that the build process has reported. */
  const service: ServiceBytes[] = [];
  const pump = createOutputPump({
    builds: {
      serviceLines: (_, from, to) => service.filter(([start, end]) => start < to && end > from),
      readLog: async (ref, offset, into) => {
        reads++;
        // Like a disk: in another turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
        const log = logs.get(ref.build_id);
        if (!log) throw new Error('EIO');
        return log.copy(into, 0, offset, written.get(ref.build_id) ?? log.length);
      },
    },
    send: (frame) => {
      if (!state.up) return false;
      frames.push(decodeOutput(Buffer.from(frame)));
      state.taken.push(frame);
      return true;
    },
    waiting: () => state.waiting,
    clock,
    limits: () => ({ ...defaultLinkLimits, ...more }),
    log: createLog('test', 'silent'),
  });
  const ref = (build_id: string) => ({ build_id, attempt: 1 });
  return { pump, clock, frames, state, written, service, ref, reads: () => reads };
}

const textsOf = (frames: readonly { data: Buffer }[]) => frames.map((f) => f.data.toString());

t.test('a first line is sent at once, and closely following lines together', async (t) => {
  const log = Buffer.from('first\nsecond\nthird\n');
  const { pump, clock, frames, written, ref } = pumpOver(new Map([['rb_1', log]]));
  pump.connected([]);
  written.set('rb_1', 6);
  pump.grew(ref('rb_1'), 6);
  await settle();
  written.delete('rb_1');
  t.same(
    frames.map((f) => f.header.offset),
    [0],
  );
  pump.grew(ref('rb_1'), 13);
  pump.grew(ref('rb_1'), log.length);
  await settle();
  t.equal(frames.length, 1, 'while the first is on its way the others wait');
  pump.acknowledged(ref('rb_1'), 6, false);
  await settle();
  t.same(textsOf(frames), ['first\n', 'second\nthird\n']);
  t.equal(clock.now(), 0, 'without waiting for any timer');
});

t.test('while the link is closing, the log is not read repeatedly', async (t) => {
  const { pump, frames, state, reads, ref } = pumpOver(new Map([['rb_1', Buffer.from('line\n')]]));
  state.up = false;
  pump.connected([]);
  pump.grew(ref('rb_1'), 5);
  await settle();
  t.equal(reads(), 1);
  pump.disconnected();
  state.up = true;
  pump.connected([]);
  await settle();
  t.same(textsOf(frames), ['line\n']);
});

t.test('with a slow acknowledgment little output waits 20 ms, not longer', async (t) => {
  const log = Buffer.from('first\nsecond\n');
  const { pump, clock, frames, written, ref } = pumpOver(new Map([['rb_1', log]]));
  pump.connected([]);
  written.set('rb_1', 6);
  pump.grew(ref('rb_1'), 6);
  await settle();
  written.delete('rb_1');
  pump.grew(ref('rb_1'), 13);
  await settle();
  t.equal(frames.length, 1);
  await clock.advance(20);
  await settle();
  t.same(textsOf(frames), ['first\n', 'second\n']);
});

t.test('builds take turns, each within its window, and none while the socket is full', async (t) => {
  const logs = new Map(['a', 'b'].map((id) => [id, Buffer.alloc(1000, id)]));
  const { pump, frames, state, ref } = pumpOver(logs, { outputFrameBytes: 100, outputWindowBytes: 300 });
  state.waiting = defaultLinkLimits.socketBufferBytes;
  pump.connected([]);
  for (const id of logs.keys()) pump.grew(ref(id), 1000);
  await settle();
  t.equal(frames.length, 0, 'the socket is full');
  state.waiting = 0;
  pump.step();
  await settle();
  t.equal(frames.map((f) => f.header.build_id).join(''), 'ababab');
  pump.acknowledged(ref('a'), 200, false);
  await settle();
  t.equal(frames.map((f) => f.header.build_id).join(''), 'abababaa');
});

t.test('after a reconnect, nothing of a known build is sent before the other end says from where', async (t) => {
  const logs = new Map(['old', 'new'].map((id) => [id, Buffer.from(`${id} build`)]));
  const { pump, frames, ref } = pumpOver(logs);
  pump.grew(ref('old'), 9);
  pump.grew(ref('new'), 9);
  pump.connected([ref('old')]);
  await settle();
  t.same(
    frames.map((f) => f.header.build_id),
    ['new'],
  );
  t.equal(pump.stored(ref('old')), null);
  pump.acknowledged(ref('old'), 4, true);
  await settle();
  t.same(frames.at(-1)?.data.toString(), 'build');
  t.equal(pump.stored(ref('old')), 4);
  pump.disconnected();
  t.equal(pump.stored(ref('old')), null);
});

t.test('an unreadable log does not block others, and is retried', async (t) => {
  const logs = new Map([['good', Buffer.from('fine')]]);
  const { pump, clock, frames, ref } = pumpOver(logs);
  pump.connected([]);
  pump.grew(ref('bad'), 4);
  pump.grew(ref('good'), 4);
  await settle();
  t.same(
    frames.map((f) => f.header.build_id),
    ['good'],
  );
  logs.set('bad', Buffer.from('back'));
  await clock.advance(defaultLinkLimits.readRetryMs);
  await settle();
  t.same(textsOf(frames), ['fine', 'back']);
  pump.forget(ref('bad'));
  pump.grew(ref('good'), 4);
  await settle();
  t.equal(frames.length, 2);
});

t.test("bytes and the marks of the service's lines in them are sent together", async (t) => {
  const script = 'output\n';
  const line = '[cidermill] The script ended with exit code 3.\n';
  const log = Buffer.from(script + line);
  const { pump, frames, service, ref } = pumpOver(new Map([['rb', log]]));
  pump.connected([]);
  // The process has written both; its report of the second has not arrived.
  pump.grew(ref('rb'), script.length);
  await settle();
  t.same(textsOf(frames), [script]);
  pump.acknowledged(ref('rb'), script.length, false);
  service.push([script.length, log.length]);
  pump.grew(ref('rb'), log.length);
  await settle();
  t.match(frames.at(-1), { data: Buffer.from(line), header: { service: [[script.length, log.length]] } });
});

t.test('a frame ends before a line that it has no room to mark', async (t) => {
  const lines = SERVICE_RANGES * 2 + 5;
  const log = Buffer.from('own\nother\n'.repeat(lines));
  const { pump, frames, service, ref } = pumpOver(new Map([['rb', log]]));
  for (let n = 0; n < lines; n++) service.push([n * 10, n * 10 + 4]);
  pump.connected([]);
  pump.grew(ref('rb'), log.length);
  for (let n = 0; n < 3; n++) {
    await settle();
    const sent = frames.reduce((sum, { data }) => sum + data.length, 0);
    pump.acknowledged(ref('rb'), sent, false);
  }
  t.equal(frames.map(({ data }) => data.toString()).join(''), log.toString());
  t.same(
    frames.flatMap(({ header }) => header.service),
    service,
  );
});

t.test("a frame's memory is not reused, because the socket may still need it", async (t) => {
  const log = Buffer.from('aaaabbbbccccdddd');
  const { pump, frames, state, ref } = pumpOver(new Map([['rb', log]]), { outputFrameBytes: 4 });
  pump.connected([]);
  pump.grew(ref('rb'), log.length);
  await settle();
  t.equal(frames.length, 4);
  pump.acknowledged(ref('rb'), 0, true);
  await settle();
  t.equal(state.taken.map((frame) => decodeOutput(frame).data).join(''), `${log}${log}`);
});

/**
 * The other end as the control plane is: appends at its own length only, answers each frame, and may cut the
 * connection or lose its tail at any moment.
 */
t.test('the log arrives complete, in order and with its marks over an unreliable connection', async () => {
  const events = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constantFrom('output' as const, 'line' as const),
        bytes: fc.integer({ min: 1, max: 400 }),
      }),
      fc.record({ kind: fc.constant('report' as const) }),
      fc.record({ kind: fc.constant('answer' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('cut' as const) }),
      fc.record({ kind: fc.constant('lose' as const), bytes: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ kind: fc.constant('time' as const) }),
    ),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(events, async (script) => {
      const whole = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7 + (i >> 8)) & 255));
      const { pump, clock, frames, written, service, ref } = pumpOver(new Map([['rb', whole]]), {
        outputFrameBytes: 64,
        outputWindowBytes: 256,
      });
      let end = 0;
      let stored = Buffer.alloc(0);
      /** Whether the bytes are of the service: as written, and as stored. */
      const own: boolean[] = [];
      let marks: boolean[] = [];
      const lines: ServiceBytes[] = [];
      const report = () => {
        service.splice(0, service.length, ...lines);
        pump.grew(ref('rb'), end);
      };
      let read = 0;
      const answer = () => {
        const frame = frames[read++];
        if (!frame) return false;
        const { offset } = frame.header;
        if (offset === stored.length) {
          stored = Buffer.concat([stored, frame.data]);
          const { service: marked = [] } = frame.header;
          for (let at = offset; at < stored.length; at++)
            marks.push(marked.some(([from, to]) => from <= at && at < to));
        }
        const resend = stored.length !== offset + frame.data.length;
        pump.acknowledged(ref('rb'), stored.length, resend);
        return true;
      };
      const connect = () => {
        read = frames.length;
        pump.connected([ref('rb')]);
        pump.acknowledged(ref('rb'), stored.length, true);
      };
      written.set('rb', 0);
      connect();
      for (const event of script) {
        if (event.kind === 'output' || event.kind === 'line') {
          if (event.kind === 'line') lines.push([end, end + event.bytes]);
          end += event.bytes;
          while (own.length < end) own.push(event.kind === 'line');
          // The process reports it later.
          written.set('rb', end);
        } else if (event.kind === 'report') {
          report();
        } else if (event.kind === 'answer') {
          for (let i = 0; i < event.count; i++) answer();
        } else if (event.kind === 'cut') {
          pump.disconnected();
          connect();
        } else if (event.kind === 'lose') {
          stored = stored.subarray(0, Math.max(0, stored.length - event.bytes));
          marks = marks.slice(0, stored.length);
        } else {
          await clock.advance(20);
        }
        await settle();
      }
      pump.disconnected();
      connect();
      report();
      for (let i = 0; i < 2000 && stored.length < end; i++) {
        await settle();
        if (!answer()) await clock.advance(20);
      }
      return stored.equals(whole.subarray(0, end)) && marks.join() === own.join();
    }),
    { numRuns: cases(20) },
  );
});

t.test('frames are masked where a proxy could read them as HTTP', async (t) => {
  const cases: [siteUrl: string, isMasked: boolean][] = [
    ['https://macs.example', false],
    ['http://127.0.0.1:8080', false],
    ['http://localhost', false],
    ['http://[::1]:8080', false],
    ['http://macs.example', true],
    ['http://10.0.0.7:8080', true],
    ['http://localhost.example', true],
  ];
  for (const [siteUrl, isMasked] of cases) t.equal(needsMask(siteUrl), isMasked, siteUrl);
});
