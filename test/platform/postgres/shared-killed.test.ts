// What three real programs count together, while one of them is killed: what it held is given back within 15 seconds, and what
// had been used up stays used up.
// Runs in: soak
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { type Answer, PASSWORD, send, startPrograms } from '../../harness/programs.js';
import { sha256 } from '../../harness/sha256.js';
import { until } from '../../harness/until.js';

const MiB = 1024 * 1024;
const GIVEN_BACK_MS = 15_000;
const limits = {
  account_parked_requests: 4,
  account_concurrent_uploads: 2,
  account_contents_bytes: 4 * MiB,
  sign_in_failures_per_minute: 1,
  requests_per_minute: 300,
};
const env = Object.fromEntries(
  Object.entries(limits).map(([name, value]) => [`CIDERMILL_${name.toUpperCase()}`, String(value)]),
);
const programs = await startPrograms(t, { count: 3, env });
const { call, createAccount, createOwner, at, store } = programs;
const times = <T>(count: number, fn: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => fn(i)));
const codeOf = ({ status, body }: Answer) => body.error?.code ?? status;
/** Resolves with the first answer that is not `code`; fails after the time in which a dead process is given up. */
async function notAny(code: string, ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  const began = systemClock.monotonic();
  while (codeOf(answer) === code && systemClock.monotonic() - began < GIVEN_BACK_MS) {
    await pause(systemClock, 250);
    answer = await ask();
  }
  t.comment(`${code} no longer after ${systemClock.monotonic() - began} ms`);
  return answer;
}

t.test('open long polls, uploads and room in storage are given back; attempts and requests are not', async (t) => {
  const account = await createAccount('Holder');
  const { body: build } = await call(account, 0, 'POST', '/builds', {
    script: 'make',
    repo: 'apple/swift',
    queue_until_rental: true,
  });
  const doomed = at(2);
  const headers = { authorization: `Bearer ${account.key}`, 'service-error-format': '2' };

  // Four long polls.
  const polls = times(4, () =>
    send(doomed.url, 'GET', `/api/v1/builds/${build.id}/wait?timeout=60`, { headers }).then(
      ({ status, body }) => `${status} ${body.error?.message}`,
      () => 'cut off',
    ),
  );
  const poll = () => call(account, 0, 'GET', `/builds/${build.id}/wait?timeout=1`);
  const heldPolls = async () =>
    Number(
      (
        await store.get<{ n: number }>(
          `SELECT COALESCE(SUM(amount), 0) AS n FROM shared_counts WHERE name LIKE '%parked%'`,
        )
      )?.n,
    );
  await until(async () => (await heldPolls()) === 4, 'four wait', 30_000);
  t.equal(codeOf(await poll()), 'rate_limited', 'no fifth waits');

  // Two uploads whose bodies stop in the middle; each reserves room for what it has announced.
  const zipped = (bytes: Buffer | string) => gzipSync(bytes, { level: 0 });
  const upload = async (to: number, path: string, bytes: Buffer): Promise<Answer> => {
    const answer = await fetch(`${at(to).url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/gzip' },
      body: bytes,
    });
    return { status: answer.status, headers: answer.headers, body: JSON.parse((await answer.text()) || '{}') };
  };
  const announced = async (to: number, size: number) => {
    const bytes = Buffer.alloc(size, `${to} ${size}`);
    const file = { path: 'f', sha256: sha256(bytes), size, mode: 0o644 };
    const made = await upload(to, '/uploads', zipped(JSON.stringify({ project: 'p', files: [file] })));
    t.equal(made.status, 201, JSON.stringify(made.body));
    const record = zipped(Buffer.concat([Buffer.from(`${file.sha256} ${size}\n`), bytes]));
    return { path: `/uploads/${made.body.id}/blobs`, record };
  };
  const [big, small, third] = [await announced(1, 3 * MiB), await announced(1, MiB / 2), await announced(0, 2 * MiB)];
  for (const { path, record } of [big, small]) {
    const open = request(`${doomed.url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/gzip', 'content-length': record.length },
    });
    open.on('error', () => undefined);
    t.teardown(() => open.destroy());
    open.write(record.subarray(0, record.length - 1_000));
  }
  const uploads = () =>
    store.all<{ name: string; n: number }>('SELECT name, SUM(amount) AS n FROM shared_counts GROUP BY name');
  await until(
    async () => (await uploads()).some(({ name, n }) => /upload/.test(name) && n >= 2),
    'both are open',
    30_000,
  );
  t.equal(codeOf(await upload(0, third.path, third.record)), 'rate_limited', 'no third upload');
  const reserved = await uploads();
  t.comment(JSON.stringify(reserved));

  // All requests of a minute.
  const busy = await createAccount('Busy');
  const began = systemClock.monotonic();
  const sent = await times(450, (i) => call(busy, i, 'GET', '/secrets'));
  const admitted = () => sent.filter(({ status }) => status === 200).length;
  const most = () =>
    limits.requests_per_minute + Math.ceil(((systemClock.monotonic() - began) * limits.requests_per_minute) / 60_000);
  t.ok(admitted() <= most(), `${admitted()} of at most ${most()}`);
  t.ok(admitted() >= limits.requests_per_minute * 0.9, `${admitted()} of ${limits.requests_per_minute}`);

  // Wrong passwords, all at the one that is killed.
  await createOwner(account, 'guessed@example.com');
  const signIn = (url: string, password: string) =>
    send(url, 'POST', '/api/runner/v1/session', { body: { email: 'guessed@example.com', password } });
  const failing = systemClock.monotonic();
  const tries = await times(4, () => signIn(doomed.url, 'wrong'));
  t.ok(tries.some((answer) => codeOf(answer) !== 'rate_limited' && answer.status < 500));
  t.equal((await signIn(at(0).url, PASSWORD)).status, 429, 'others know of them');

  doomed.child.kill('SIGKILL');
  await doomed.ended;
  const afterwards = await signIn(at(0).url, PASSWORD);
  // One more attempt in a minute.
  t.ok(afterwards.status === 429 || systemClock.monotonic() - failing > 55_000, 'wrong passwords still count');
  sent.push(...(await times(120, (i) => call(busy, i % 2, 'GET', '/secrets'))));
  t.ok(admitted() <= most(), `${admitted()} of at most ${most()} after it was killed`);
  t.same([...new Set(await polls)], ['cut off']);
  const polled = await notAny('rate_limited', poll);
  t.ok([200, 204].includes(polled.status), `a long poll is admitted: ${codeOf(polled)}`);
  const stored = await notAny('rate_limited', () => upload(0, third.path, third.record));
  const answer =
    codeOf(stored) === 'storage_quota_exceeded'
      ? await notAny('storage_quota_exceeded', () => upload(0, third.path, third.record))
      : stored;
  t.ok(answer.status < 300, `the room of its uploads is free: ${codeOf(answer)}`);
  await until(
    async () => (await uploads()).every(({ name }) => !/upload|storage|contents/.test(name)),
    'nothing is held',
    GIVEN_BACK_MS,
  );
});
