// Events from commit to receiver: 1,000 webhooks, of which every tenth never answers. The delay until the
// healthy receivers get an event, and the deliveries per second, against a bare undici loop that posts the
// same bodies to the same receiver in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openOutbox } from '../test/events/outbox.js';
import { startPeer } from './peer.js';
import { median, print, ratio } from './report.js';

const accounts = 200;
const each = 5;
const deadEvery = 10;
const rounds = 3;
const builds = 3;
const connections = 64;
const types = ['build.started', 'build.succeeded'] as const;

/** A receiver that accepts everything; GET returns the delay of each event in ms, from the `at` of its body. */
const source = `
  import { createServer } from 'node:http';
  let late = [];
  let silent = false;
  const server = createServer((request, reply) => {
    if (request.method === 'GET') {
      if (request.url === '/dead') silent = true;
      reply.end(JSON.stringify(late));
      if (request.url === '/reset') late = [];
      return;
    }
    if (silent && request.url.startsWith('/dead')) return;
    let text = '';
    request.on('data', (chunk) => { text += chunk; });
    request.on('end', () => {
      reply.end();
      const { at } = JSON.parse(text);
      if (at) late.push(Date.now() - at);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

const folder = mkdtempSync(join(tmpdir(), 'cidermill-bench-'));
const receiver = await startPeer(source);
const origin = `http://127.0.0.1:${receiver.line}`;
const lateness = async (path = '/late'): Promise<number[]> => (await fetch(origin + path)).json() as Promise<number[]>;

const outbox = await openOutbox(folder, { webhook_deliveries_kept_ms: 3_600_000 });
const ids: number[] = [];
for (let i = 0; i < accounts; i++) ids.push(await outbox.account(`account ${i}`));
for (const [index, account] of ids.entries()) {
  await Promise.all(
    Array.from({ length: each }, (_, i) => {
      const dead = (index * each + i) % deadEvery === 0;
      const url = `${origin}/${dead ? 'dead' : 'hook'}/${index}/${i}`;
      return outbox.webhooks.create(account, { url, events: types }, async () => undefined);
    }),
  );
}
await lateness('/dead');

const healthy = accounts * each * (1 - 1 / deadEvery);
const expected = healthy * builds * types.length;
let build = 0;

async function viaWebhooks(): Promise<{ perSecond: number; p50: number; p99: number }> {
  await lateness('/reset');
  const started = performance.now();
  await Promise.all(
    Array.from({ length: builds }, () => {
      build++;
      return Promise.all(ids.map((account) => outbox.publish(account, `rb_${account}_${build}`, types)));
    }),
  );
  let late: number[] = [];
  while (late.length < expected) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    late = await lateness();
  }
  const seconds = (performance.now() - started) / 1000;
  late.sort((a, b) => a - b);
  const at = (share: number) => late[Math.floor(late.length * share)] ?? 0;
  return { perSecond: expected / seconds, p50: at(0.5), p99: at(0.99) };
}

async function bare(): Promise<number> {
  const pool = new Pool(origin, { connections });
  const body = JSON.stringify({
    event_type: types[0],
    sequence: 1,
    build: { id: 'rb_1' },
    pad: 'x'.repeat(100),
  });
  let left = expected;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) {
        const { body: answer } = await pool.request({ method: 'POST', path: '/hook', body });
        await answer.dump();
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return expected / seconds;
}

const ours: Awaited<ReturnType<typeof viaWebhooks>>[] = [];
const peers: number[] = [];
try {
  // The first round warms up and detects the dead receivers.
  for (let round = 0; round <= rounds; round++) {
    const peer = await bare();
    const own = await viaWebhooks();
    if (round === 0) continue;
    peers.push(peer);
    ours.push(own);
  }
} finally {
  await outbox.close();
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
}

const peer = median(peers);
const rate = median(ours.map(({ perSecond }) => perSecond));
print(`${accounts * each} webhooks, ${(accounts * each) / deadEvery} of them dead; ${expected} deliveries a round`, [
  { name: 'bare undici POST loop', value: peer, unit: 'POST/s', ratio: 1 },
  { name: 'webhooks, to the healthy', value: rate, unit: 'deliveries/s', ratio: ratio(rate, peer) },
  { name: 'commit to arrival, median', value: median(ours.map(({ p50 }) => p50)), unit: 'ms', ratio: null },
  { name: 'commit to arrival, p99', value: median(ours.map(({ p99 }) => p99)), unit: 'ms', ratio: null },
]);
