// Runs in: soak
import fc from 'fast-check';
import t from 'tap';
import { z } from 'zod';
import { createIdempotency } from '../../control-plane/platform/app/idempotency.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { createTable } from '../harness/create-table.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { cases } from '../harness/soak.js';
import { testRoute } from '../harness/test-route.js';

const DAY_MS = 86_400_000;

/** POST /orders-of-tea: an effect that can be counted, slow on request, failing on request. */
function teaRoutes(store: Store, gate: { wait(): Promise<void> }) {
  return [
    testRoute<unknown, unknown, { tea: string; fail?: boolean | undefined }>({
      method: 'POST',
      path: '/tea',
      level: 'manage',
      summary: 'For tests',
      body: z.object({ tea: z.string(), fail: z.boolean().optional() }),
      idempotent: true,
      responses: { 201: z.object({ cup: z.int(), tea: z.string(), secret: z.string() }) },
      errors: ['no_capacity'],
      async handle({ body, recordReply }) {
        await gate.wait();
        return store.transaction(async (tx) => {
          const row = await tx.get<{ cup: number }>('INSERT INTO cups (tea) VALUES (:tea) RETURNING cup', {
            tea: body.tea,
          });
          if (body.fail) throw new ApiError('no_capacity');
          const answer = {
            status: 201,
            body: { cup: row?.cup, tea: body.tea, secret: 'whsec_clear', hidden: 1 },
          };
          await recordReply(() => answer)(tx);
          return answer;
        });
      },
    }),
    testRoute<unknown, unknown, { tea: string }>({
      method: 'POST',
      path: '/tea/order',
      level: 'manage',
      summary: 'For tests',
      body: z.object({ tea: z.string() }),
      idempotent: true,
      amendsReply: true,
      responses: { 200: z.object({ cup: z.string() }) },
      async handle({ body: { tea }, recordReply }) {
        await store.transaction(async (tx) => {
          await tx.run('INSERT INTO cups (tea) VALUES (:tea)', { tea });
          await recordReply(() => ({ status: 200, body: { cup: 'ordered' } }))(tx);
        });
        await gate.wait();
        return { status: 200, body: { cup: 'served' } };
      },
    }),
    testRoute({
      method: 'POST',
      path: '/tea/look',
      level: 'manage',
      summary: 'For tests',
      idempotent: true,
      responses: { 200: z.object({ seen: z.int() }) },
      handle: async () => ({ status: 200, body: { seen: ++looks } }),
    }),
  ];
}
let looks = 0;

async function start(t: Parameters<typeof startHarness>[0], options: Parameters<typeof startHarness>[1] = {}) {
  const gate = { wait: () => Promise.resolve() };
  const service = await startHarness(t, { ...options, extraRoutes: ({ store }) => teaRoutes(store, gate) });
  await createTable(service.store, 'CREATE TABLE cups (cup INTEGER PRIMARY KEY, tea TEXT NOT NULL)');
  const cups = async () => (await service.store.all('SELECT * FROM cups')).length;
  const order = (key: string | null, body: unknown = { tea: 'green' }, as = service.keys.all) =>
    service.call('POST', '/tea', {
      body,
      key: as,
      headers: key === null ? {} : { 'idempotency-key': key },
    });
  return { ...service, gate, cups, order };
}

t.test('a repeated request has one effect and the identical response', async (t) => {
  const { order, cups, call } = await start(t);
  const first = await order('k-1');
  t.equal(first.statusCode, 201);
  t.equal(first.headers['idempotent-replayed'], undefined);
  const second = await order('k-1');
  t.equal(second.statusCode, 201);
  t.equal(second.headers['idempotent-replayed'], 'true');
  t.equal(second.body, first.body);
  t.equal(second.headers['content-type'], first.headers['content-type']);
  t.notMatch(first.body, 'hidden', 'the recorded answer passes the same serializer');
  t.equal(await cups(), 1);
  const spelled = await call('POST', '/tea', {
    headers: { 'idempotency-key': 'k-1', 'content-type': 'application/json; charset=utf-8' },
    body: undefined,
  });
  t.equal(spelled.statusCode, 409, 'no body is another request');
});

t.test('a change that is carried out after its transaction: its last state is sent and replayed', async (t) => {
  const { call, keys, cups, gate } = await start(t);
  const order = (key: string) =>
    call('POST', '/tea/order', {
      key: keys.all,
      body: { tea: 'green' },
      headers: { 'idempotency-key': key },
    });
  const served = await order('served');
  t.same(served.json(), { cup: 'served' });
  t.equal((await order('served')).body, served.body);
  t.equal(await cups(), 1);
  gate.wait = () => Promise.reject(new Error('the kitchen burns'));
  t.equal((await order('lost')).statusCode, 500);
  gate.wait = () => Promise.resolve();
  const replayed = await order('lost');
  t.equal(replayed.headers['idempotent-replayed'], 'true');
  t.same(replayed.json(), { cup: 'ordered' }, 'what was recorded with the change');
  t.equal(await cups(), 2);
});

t.test(
  'requests are equal regardless of member order and white space; any other difference is a conflict',
  async (t) => {
    const { inject, keys, cups, order, other } = await start(t);
    const send = (payload: string, url = '/api/v1/tea', key = keys.all) =>
      inject({
        method: 'POST',
        url,
        payload,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': 'same',
          'service-error-format': '2',
        },
      });
    t.equal((await send('{"tea":"green","fail":false}')).statusCode, 201);
    t.equal((await send(' { "fail" : false,\n"tea":"gr\\u0065en" }')).headers['idempotent-replayed'], 'true');
    for (const [payload, url] of [
      ['{"tea":"black","fail":false}'],
      ['{"tea":"green"}'],
      ['{"tea":"green","fail":false}', '/api/v1/tea?x=1'],
      ['{"tea":"green","fail":false}', '/api/v1/tea/look'],
    ] as const) {
      const answer = await send(payload, url);
      t.equal(answer.statusCode, 409);
      t.equal(answer.json().error.code, 'idempotency_conflict');
    }
    const colleague = await order('same', { tea: 'green', fail: false }, keys.manage);
    t.equal(colleague.headers['idempotent-replayed'], 'true', 'keys of one account share');
    t.equal((await send('{"tea":"white"}', undefined, other.key)).statusCode, 201, 'accounts do not');
    t.equal(await cups(), 2);
  },
);

/** Holds requests until `open` is called; `arrived` resolves when the first one is held. */
function close(gate: { wait(): Promise<void> }): { arrived: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const arrived = new Promise<void>((resolve) => {
    gate.wait = () => {
      resolve();
      return opened;
    };
  });
  return { arrived, open: () => open() };
}

t.test('concurrent duplicates wait for the first request', async (t) => {
  const { order, cups, gate } = await start(t);
  const { arrived, open } = close(gate);
  const first = order('race');
  await arrived;
  const all = [first, ...Array.from({ length: 29 }, () => order('race'))];
  const other = order('race', { tea: 'black' });
  await new Promise((resolve) => setImmediate(resolve));
  open();
  const answers = await Promise.all(all);
  t.equal(new Set(answers.map((answer) => answer.body)).size, 1);
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1);
  t.equal((await other).statusCode, 409);
  t.equal(await cups(), 1);
});

t.test('a failed request has no effect and can be retried', async (t) => {
  const { order, cups, gate } = await start(t);
  for (let i = 0; i < 3; i++) {
    const failed = await order('again', { tea: 'mint', fail: true });
    t.equal(failed.statusCode, 409);
    t.equal(failed.headers['idempotent-replayed'], undefined);
  }
  t.equal(await cups(), 0);
  const { arrived, open } = close(gate);
  const failing = order('again', { tea: 'mint', fail: true });
  await arrived;
  const waiting = order('again', { tea: 'mint' });
  open();
  const [first, second] = await Promise.all([failing, waiting]);
  t.equal(first.json().error.code, 'no_capacity');
  t.equal(second.statusCode, 201, 'the key is free again for another request');
  t.equal(await cups(), 1);
});

t.test('after the first request fails, one of the waiting duplicates is executed', async (t) => {
  const { order, cups, gate } = await start(t);
  let tries = 0;
  gate.wait = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (++tries <= 2) throw new Error('on purpose');
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => order('unlucky')));
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 201, 500, 500]);
  t.equal(await cups(), 1);
});

t.test('a response without an effect is replayed too', async (t) => {
  const { call } = await start(t);
  const look = () => call('POST', '/tea/look', { headers: { 'idempotency-key': 'look' } });
  const first = await look();
  const second = await look();
  t.equal(second.body, first.body);
  t.equal(second.headers['idempotent-replayed'], 'true');
});

t.test('if another process was faster, its response is replayed', async (t) => {
  const service = await start(t);
  const { store, clock, limits, org, cups, order, gate, data } = service;
  const neighbor = createIdempotency({
    store,
    clock,
    limits,
    findScript: async () => null,
    vault: createVault(openKeyFile(`${data}/secret.key`)),
  });
  const mine = await order('fingerprint-of');
  const row = await store.get<{ fingerprint: string }>('SELECT fingerprint FROM idempotency');
  gate.wait = async () => {
    gate.wait = () => Promise.resolve();
    const begun = await neighbor.begin({
      accountId: org.id,
      key: 'shared',
      workspaceId: org.workspaceId,
      fingerprint: row?.fingerprint.split(' ')[0] ?? '',
    });
    if (!('attempt' in begun)) throw new Error('there was an answer already');
    await begun.attempt.recordAlone({
      status: 201,
      contentType: 'application/json; charset=utf-8',
      body: mine.body,
    });
    begun.attempt.end();
  };
  const answer = await order('shared');
  t.equal(answer.headers['idempotent-replayed'], 'true');
  t.equal(answer.body, mine.body);
  t.equal(await cups(), 1, 'the slower transaction was rolled back');
});

t.test('the key is 1 to 200 visible ASCII characters', async (t) => {
  const { order, inject, keys } = await start(t);
  for (const key of ['', 'a b', ' ', 'ä', 'x'.repeat(201), 'a\tb', '\u007f']) {
    const answer = await order(key);
    t.equal(answer.statusCode, 400, JSON.stringify(key));
    t.equal(answer.json().error.code, 'invalid_idempotency_key');
  }
  for (const key of ['x', '"quoted"', '!~', 'x'.repeat(200)]) {
    t.equal((await order(key)).statusCode, 201, key);
  }
  const elsewhere = await inject({
    url: '/api/v1/me',
    headers: { authorization: `Bearer ${keys.all}`, 'idempotency-key': '' },
  });
  t.equal(elsewhere.statusCode, 200, 'a read has nothing to repeat');
});

t.test('after 24 hours the key can be reused, and the old response is deleted', async (t) => {
  const { order, cups, clock, store, workers } = await start(t);
  const purge = () => workers.named('idempotency-purge').run(new Set());
  await order('day');
  await clock.advance(DAY_MS - 1);
  t.equal((await order('day')).headers['idempotent-replayed'], 'true');
  await clock.advance(1);
  t.equal((await order('day', { tea: 'black' })).statusCode, 201);
  t.equal(await cups(), 2);
  t.equal((await store.all('SELECT * FROM idempotency')).length, 1, 'it took the old one’s place');
  for (let i = 0; i < 20; i++) await order(`old-${i}`);
  await purge();
  t.equal((await store.all('SELECT * FROM idempotency')).length, 21);
  await clock.advance(DAY_MS);
  await order('young');
  await purge();
  t.equal((await store.all('SELECT * FROM idempotency')).length, 1);
});

t.test('a stored response is sealed: the database does not contain its plaintext', async (t) => {
  const { order, store } = await start(t);
  const answer = await order('sealed');
  t.equal(answer.json().secret, 'whsec_clear');
  const row = await store.get<{ body: Buffer }>('SELECT body FROM idempotency');
  t.notOk(row?.body.includes('whsec_clear'));
  t.notOk(row?.body.includes('green'));
});

t.test('for any sequence of requests, each key has one effect and one response', async (t) => {
  const service: Harness & Awaited<ReturnType<typeof start>> = await start(t);
  const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), tea: fc.constantFrom('x', 'y') });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 12 }), async (requests) => {
      const prefix = `round-${round++}-`;
      const before = await service.cups();
      const answers = await Promise.all(requests.map(({ key, tea }) => service.order(prefix + key, { tea })));
      for (const key of new Set(requests.map((r) => r.key))) {
        const own = answers.filter((_, i) => requests[i]?.key === key);
        const good = own.filter((answer) => answer.statusCode === 201);
        t.equal(new Set(good.map((answer) => answer.body)).size, 1);
        t.ok(own.every((answer) => answer.statusCode === 201 || answer.statusCode === 409));
      }
      t.equal((await service.cups()) - before, new Set(requests.map((r) => r.key)).size);
    }),
    { numRuns: cases(10) },
  );
});
