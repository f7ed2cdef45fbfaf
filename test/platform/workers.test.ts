// Running workers, long polls and locks by themselves.
import t from 'tap';
import { queueCheck } from '../../control-plane/builds/workers/table.js';
import { createKeyedLock } from '../../control-plane/platform/app/keyed-lock.js';
import { waitUntil } from '../../control-plane/platform/app/wait-until.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { runWorkers } from '../../control-plane/platform/workers/run-workers.js';
import type { Worker } from '../../control-plane/platform/workers/worker.js';
import { type Clock, createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';

const log = createLog('test', 'silent');
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a worker runs on startup, periodically, when work is due, and when woken', async (t) => {
  const clock = createAdvancingClock({ start: 1_000_000 });
  const wake = createWake(systemClock);
  const runs: string[] = [];
  let nextAt: number | null = null;
  const worker: Worker = {
    name: 'probe',
    periodMs: 1000,
    wakeOn: ['builds', 'hosts'],
    async run(woken) {
      runs.push(`${clock.now() - 1_000_000}:${[...woken].join('+')}`);
      return nextAt;
    },
  };
  const running = runWorkers({ workers: [worker], wake, clock, log });
  await running.idle();
  t.same(runs.splice(0), ['0:'], 'at the start');
  await clock.advance(999);
  t.same(runs, []);
  nextAt = clock.now() + 1 + 250;
  await clock.advance(1);
  await running.idle();
  t.same(runs.splice(0), ['1000:'], 'on its period');
  nextAt = null;
  await clock.advance(300);
  await running.idle();
  t.same(runs.splice(0), ['1250:'], 'when due');
  wake.wake('builds', '7');
  await running.idle();
  t.same(runs.splice(0), ['1300:7'], 'when woken, with the key');
  wake.wake('hosts');
  await running.idle();
  t.same(runs.splice(0), ['1300:'], 'woken without a key it looks everywhere');
  wake.wake('events', '7');
  await running.idle();
  t.same(runs, [], 'not for another topic');
  await running.stop();
  wake.wake('builds', '7');
  await clock.advance(10_000);
  t.same(runs, [], 'stopped is stopped');
  wake.close();
});

t.test('wakes during a run cause one further run after it, never a concurrent one', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(systemClock);
  const seen: string[][] = [];
  let inside = 0;
  let release = () => {};
  const worker: Worker = {
    name: 'slow',
    periodMs: 60_000,
    wakeOn: ['builds'],
    async run(woken) {
      t.equal(++inside, 1, 'alone');
      seen.push([...woken]);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      inside--;
      return null;
    },
  };
  const running = runWorkers({ workers: [worker], wake, clock, log });
  for (const key of ['1', '2', '2', '3']) wake.wake('builds', key);
  let idle = false;
  const done = running.idle().then(() => {
    idle = true;
  });
  await turn();
  t.notOk(idle, 'idle waits for the run');
  release();
  await turn();
  t.notOk(idle, 'and for the one that was asked for meanwhile');
  release();
  await done;
  t.same(seen, [[], ['1', '2', '3']]);
  await running.stop();
  wake.close();
});

t.test('a failed worker is retried after one second, and then checks everything', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(systemClock);
  const runs: string[][] = [];
  const worker: Worker = {
    name: 'failing',
    periodMs: 60_000,
    wakeOn: ['builds'],
    async run(woken) {
      runs.push([...woken]);
      if (runs.length === 2) throw new Error('on purpose');
      return null;
    },
  };
  const running = runWorkers({ workers: [worker], wake, clock, log });
  await running.idle();
  wake.wake('builds', '9');
  await running.idle();
  t.same(runs, [[], ['9']]);
  await clock.advance(1000);
  await running.idle();
  t.same(runs, [[], ['9'], []]);
  await running.stop();
  wake.close();
});

t.test('a worker that reads everything rests nine times as long as its run took, at most five seconds', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const realClock = createAdvancingClock({ start: 0 });
  const wake = createWake(systemClock);
  const runs: string[] = [];
  let takes = 20;
  const worker: Worker = {
    name: 'thorough',
    readsAll: true,
    periodMs: 60_000,
    wakeOn: ['hosts'],
    async run(woken) {
      runs.push(`${realClock.monotonic()}:${[...woken].join('+')}`);
      await realClock.advance(takes);
      return null;
    },
  };
  const running = runWorkers({ workers: [worker], wake, clock, realClock, log });
  await running.idle();
  t.same(runs.splice(0), ['0:']);
  wake.wake('hosts', 'a');
  await turn();
  wake.wake('hosts', 'b');
  await realClock.advance(179);
  await turn();
  t.same(runs, [], 'it rests');
  takes = 3_000;
  await realClock.advance(1);
  await running.idle();
  t.same(runs.splice(0), ['200:a+b'], 'wakes in between cause one run');
  takes = 5;
  wake.wake('hosts', 'c');
  await realClock.advance(4_999);
  await turn();
  t.same(runs, []);
  await realClock.advance(1);
  await running.idle();
  t.same(runs.splice(0), ['8200:c']);
  wake.wake('hosts', 'd');
  await running.idle();
  t.same(runs.splice(0), ['8205:d'], 'after a short run it does not rest');
  takes = 20;
  wake.wake('hosts', 'e');
  await running.idle();
  t.same(runs.splice(0), ['8210:e']);
  wake.wake('hosts', 'f');
  await turn();
  await running.stop();
  t.same(runs, [], 'stopped while it rests, it does not run again');
  wake.close();
});

t.test('a change between reading and waiting is not missed', async (t) => {
  const wake = createWake(systemClock);
  const { signal } = new AbortController();
  let value = 0;
  let reads = 0;
  const read = async () => {
    const seen = value;
    if (++reads === 1) {
      // Happens after this read, and before the caller gets its result.
      value = 1;
      wake.wake('build', 'rb_1');
    }
    return seen;
  };
  const on = { topic: 'build', key: 'rb_1', ms: 60_000, signal } as const;
  t.equal(await waitUntil({ wake, realClock: systemClock }, on, read, (seen) => seen === 1), 1);
  t.equal(reads, 2);
  wake.close();
});

t.test('a long poll ends when its client disconnects, and at its deadline', async (t) => {
  const wake = createWake(systemClock);
  const poll = <T>(signal: AbortSignal, ms: number, read: () => Promise<T>, done = false) =>
    waitUntil({ wake, realClock: systemClock }, { topic: 'build', key: 'x', ms, signal }, read, () => done);
  const caller = new AbortController();
  const gone = poll(caller.signal, 60_000, async () => 'still so');
  caller.abort();
  t.equal(await gone, 'still so');
  t.equal(await poll(AbortSignal.abort(), 60_000, async () => 1), 1, 'one that was gone before');
  const { signal } = new AbortController();
  t.equal(await poll(signal, 0, async () => 2), 2);
  t.equal(await poll(signal, 5, async () => 3), 3);
  const failing = poll(signal, 60_000, () => Promise.reject(new Error('unreadable')), true);
  await t.rejects(failing, /unreadable/);
  wake.close();
});

t.test('2,000 long polls share one timer and are all resolved by one wake', async (t) => {
  let timers = 0;
  // Stands still, so that no timer ends and is set anew.
  const still = createAdvancingClock({});
  const counting: Clock = {
    ...still,
    setTimeout(fn, ms) {
      timers++;
      return still.setTimeout(fn, ms);
    },
  };
  const wake = createWake(counting);
  const { signal } = new AbortController();
  let ended = false;
  let reads = 0;
  const polls = Array.from({ length: 2000 }, () =>
    waitUntil(
      { wake, realClock: counting },
      { topic: 'build', key: 'rb_1', ms: 60_000, signal },
      async () => {
        reads++;
        return ended;
      },
      (value) => value,
    ),
  );
  await turn();
  t.equal(timers, 1, 'one timer for all');
  t.equal(reads, 2000);
  ended = true;
  wake.wake('build', 'rb_1');
  t.ok((await Promise.all(polls)).every((value) => value));
  t.equal(reads, 4000, 'each read once more');
  wake.close();
});

t.test('a keyed lock: in order for one key, at the same time for two; a failure does not block others', async (t) => {
  const lock = createKeyedLock();
  const said: string[] = [];
  const gate: { open(): void } = { open() {} };
  const first = lock.run('a', async () => {
    await new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    said.push('a1');
    throw new Error('on purpose');
  });
  const second = lock.run('a', async () => said.push('a2'));
  await lock.run('b', async () => said.push('b1'));
  gate.open();
  await t.rejects(first, /on purpose/);
  await second;
  t.same(said, ['b1', 'a1', 'a2']);
});

t.test('the queue is checked every few seconds without a wake', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(systemClock);
  let looks = 0;
  wake.on('scheduler', (key) => {
    if (key === '') looks++;
  });
  const workers = [queueCheck({ wake, limits: { queue_check_ms: 5_000 } })];
  const running = runWorkers({ workers, wake, clock, log });
  await running.idle();
  t.equal(looks, 1, 'on startup');
  await clock.advance(4_999);
  t.equal(looks, 1);
  for (const looked of [2, 3, 4]) {
    await clock.advance(looked === 2 ? 1 : 5_000);
    await running.idle();
    t.equal(looks, looked);
  }
  await running.stop();
  await clock.advance(60_000);
  t.equal(looks, 4);
  wake.close();
});

t.test('a worker with remaining work runs again immediately, until it is stopped', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const wake = createWake(systemClock);
  let left = 5;
  let runs = 0;
  const worker: Worker = {
    name: 'sweep',
    async run() {
      runs++;
      await turn();
      return --left > 0 ? 'again' : null;
    },
  };
  const running = runWorkers({ workers: [worker], wake, clock, log });
  await running.idle();
  t.equal(runs, 5);
  left = Number.POSITIVE_INFINITY;
  await clock.advance(3_600_000);
  await turn();
  await running.stop();
  const seen = runs;
  await turn();
  t.equal(runs, seen, 'a long sweep does not delay the shutdown');
});
