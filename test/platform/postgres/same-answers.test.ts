// Every list on SQLite and on PostgreSQL, over the same random rows, each written through both adapters: all filters, page by
// page to the end. The routes come from the table behind the API, so a new list is compared without a change here.
// Runs in: soak
// Requires: postgres
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { API_ROOT, CONSOLE_ROOT, OPERATOR_ROOT } from '../../../control-plane/platform/domain/addresses.js';
import { hasLimit } from '../../../control-plane/platform/http/page.js';
import type { AnyRoute } from '../../../control-plane/platform/http/route.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { makeResources } from '../../access/matrix/resources.js';
import { startHarness } from '../../harness/harness.js';
import { startPostgres } from '../../harness/postgres.js';
import { startReceiver } from '../../harness/receiver.js';
import { runs } from '../../harness/soak.js';
import { putHostileRows } from './hostile-rows.js';
import { migrate } from './move-rig.js';
import { makeOthers } from './one-of-each.js';
import { addressesOf, nextPage, withLimit } from './same-answers.js';

const OPERATOR = 'operator-token-of-this-test';
/** Entries of a page, so that lists have many. */
const PAGE = 7;
/** Of a list without a filter: every entry follows a cursor. */
const SMALL = runs(3, 1);

const SEED = runs(7, Math.floor(Math.random() * 2 ** 31));

/** What is of the process that answers, not of the database. */
const ofProcess = new Set(['operator /v1/processes']);
/** Lists that have one entry for any data. */
const short = new Set(['console /v1/shared/:token/artifacts']);

/** Without what is of the process: request ids, remaining requests. Text with NUL takes more bytes on PostgreSQL. */
const masked = (body: string) =>
  body.replace(/"req_\w+"/g, '"req"').replace(/"(remaining_requests|records_bytes)":\d+/g, '"$1":0');

/** Two services on databases of both kinds with the same rows. */
async function startBoth(t: Test) {
  const limits = { stall_confirm_ms: 0 };
  const failed = new Set<string>();
  const log = (line: string) => {
    const { level, err } = JSON.parse(line);
    if (level >= 50) failed.add(err?.stack ?? line);
  };
  const h = await startHarness(t, { database: 'sqlite', receivers: true, operatorToken: OPERATOR, limits, log });
  const cookie = await h.signIn('owner', { email: 'Ärger@example.com' });
  const { url } = await startReceiver(t);
  const owner = { accountId: h.org.id, orgId: h.org.orgId, key: h.keys.all, cookie };
  const ids = await makeResources(t, h, owner, url);
  const shared = await makeOthers(t, h, { ...owner, build: ids.build, order: ids.order });

  const cluster = await startPostgres();
  t.teardown(() => cluster.stop());
  const { url: database } = await cluster.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-same-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  await h.store.backup(join(folder, 'cidermill.db'));
  const moved = await migrate(folder, database.replace('@/', '@localhost/'));
  t.equal(moved.code, 0, moved.stderr);
  const store = await openPostgres(database, { connections: 3 });
  const second = await h.beside(store);
  t.teardown(async () => {
    await second.close();
    await store.close();
  });
  t.comment(`rows of the seed ${SEED}`);
  t.same(await putHostileRows([h.store, store], SEED), [], 'every table had a row to copy');
  const roots = { api: API_ROOT, console: CONSOLE_ROOT, operator: OPERATOR_ROOT } as const;
  const callers = {
    api: { authorization: `Bearer ${h.keys.all}` },
    console: { cookie },
    operator: { authorization: `Bearer ${OPERATOR}` },
  } as const;
  const ask = async (server: typeof h.server, api: keyof typeof roots, address: string, caller: object) => {
    const url = `${roots[api]}${address}`;
    const { statusCode, headers, body } = await server.inject({
      url,
      headers: { 'service-error-format': '2', ...caller },
    });
    return { status: statusCode, type: String(headers['content-type']), body: masked(body) };
  };
  const both = (api: keyof typeof roots, address: string, { sessionScope }: AnyRoute) => {
    // A person would name the workspace in the path.
    const caller = callers[sessionScope === 'workspace' ? 'api' : api];
    return Promise.all([ask(h.server, api, address, caller), ask(second.server, api, address, caller)]);
  };
  return { h, shared, both, failed };
}

t.test('both databases give the same answers', async (t) => {
  const { h, shared, both, failed } = await startBoth(t);
  let asked = 0;
  const compare = async (t: Test, name: string, route: AnyRoute, first: string, limit: number) => {
    const api = name.split(' ', 1)[0] as 'api' | 'console' | 'operator';
    let entries = 0;
    for (let address: string | null = withLimit(first, route, limit), pages = 0; address !== null; pages++) {
      const [one, other] = await both(api, address, route);
      asked++;
      if (one.status !== other.status || one.body !== other.body) {
        t.same(parsed(other), parsed(one), `${api} ${address}`);
        t.equal(other.body, one.body, `${api} ${address}`);
        return 0;
      }
      if (one.status >= 500) t.fail(`${api} ${address}: ${one.body}`);
      if (one.status !== 200 || !one.type.startsWith('application/json')) return entries;
      const body = JSON.parse(one.body);
      entries += longestIn(body);
      address = nextPage(address, body);
      if (pages > 500) throw new Error(`${address} has no end`);
    }
    return entries;
  };
  for (const api of ['api', 'console', 'operator'] as const) {
    for (const route of h[api].routes) {
      const name = `${api} ${route.path}`;
      const skipped = route.staysOpen || ofProcess.has(name) || /\/wait$|:ticket|:file_id|openapi/.test(route.path);
      if (route.method !== 'GET' || skipped) continue;
      await t.test(name, async (t) => {
        const given = { ':token': shared, ...(api === 'operator' ? {} : { ':org_id': h.org.orgId }) };
        const addresses = await addressesOf(h.store, route, given);
        await compare(t, name, route, addresses[0] ?? '', SMALL);
        let most = 0;
        for (const address of addresses) most = Math.max(most, await compare(t, name, route, address, PAGE));
        if (hasLimit(route) && !short.has(name)) t.ok(most >= PAGE, `${most} entries`);
      });
    }
  }
  t.same([...failed], [], 'no request failed in the service');
  t.comment(`${asked} answers compared`);
});

/** The length of the longest list of an answer or of one of its objects. */
function longestIn(body: unknown, deep = 2): number {
  if (Array.isArray(body)) return body.length;
  if (typeof body !== 'object' || body === null || deep === 0) return 0;
  return Math.max(0, ...Object.values(body).map((value) => longestIn(value, deep - 1)));
}

const parsed = ({ status, body }: { status: number; body: string }) => ({
  status,
  body: body.startsWith('{') ? JSON.parse(body) : body,
});
