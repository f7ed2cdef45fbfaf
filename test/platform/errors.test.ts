import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { withMacs } from '../harness/submitting.js';

t.test('what failed is listed, newest first, page by page, each account its own', async (t) => {
  const { call, other, clock } = await startHarness(t);
  for (let i = 0; i < 5; i++) {
    await call('DELETE', `/secrets/NONE_${i}`, { headers: { 'x-request-id': `r-${i}` } });
    await clock.advance(1_000);
  }
  await call('GET', '/jobs/op_foreign', { key: other.key });
  const { errors, next_before } = (await call('GET', '/errors')).json();
  t.equal(next_before, null);
  t.same(
    errors.map((error: { request_id: string }) => error.request_id),
    ['r-4', 'r-3', 'r-2', 'r-1', 'r-0'],
  );
  t.match(errors[0], {
    kind: 'api',
    at: '2026-03-01T09:00:04.000Z',
    code: 'secret_not_found',
    http_status: 404,
    fault: 'client',
    message: String,
    method: 'DELETE',
    path: '/api/v1/secrets/NONE_4',
    key_name: 'read+build+manage',
    build_id: null,
    reason_code: null,
  });
  const seen: string[] = [];
  for (let before = ''; ; ) {
    const page = (await call('GET', `/errors?limit=2${before}`)).json();
    seen.push(...page.errors.map((error: { request_id: string }) => error.request_id));
    if (page.next_before === null) break;
    before = `&before=${page.next_before}`;
  }
  t.same(seen, ['r-4', 'r-3', 'r-2', 'r-1', 'r-0']);
  t.equal((await call('GET', '/errors', { key: other.key })).json().errors.length, 1);
  await call('GET', '/builds?limit=0&q=not-kept');
  t.equal((await call('GET', '/errors')).json().errors[0].path, '/api/v1/builds', 'a query is not kept');
});

t.test('filters narrow it down', async (t) => {
  const { call, keys, clock } = await startHarness(t);
  await call('DELETE', '/secrets/NONE', { key: keys.manage });
  await call('GET', '/me', { key: keys.build });
  await clock.advance(60_000);
  await call('PUT', '/secrets/bad', { body: { value: 'x' } });
  const codes = async (query: string, key = keys.all) =>
    (await call('GET', `/errors?${query}`, { key })).json().errors.map((error: { code: string }) => error.code);
  t.same(await codes(''), ['invalid_secret_name', 'api_key_write_only', 'secret_not_found']);
  t.same(await codes('code=secret_not_found'), ['secret_not_found']);
  t.same(await codes('fault=client'), ['invalid_secret_name', 'api_key_write_only', 'secret_not_found']);
  t.same(await codes('fault=platform'), []);
  t.same(await codes('kind=build'), []);
  t.same(await codes('kind=api&key=self'), ['invalid_secret_name']);
  t.same(await codes('since=2026-03-01T09:01:00Z'), ['invalid_secret_name']);
  t.same(await codes('since=2026-03-01T10:01:00%2B01:00'), ['invalid_secret_name']);
  t.same(await codes('since=2026-03-02'), []);
  t.same(await codes(`since=${Date.parse('2026-03-01T09:01:00Z')}`), ['invalid_secret_name'], 'epoch milliseconds');
  t.same(await codes('code=nothing'), []);
});

t.test('a flood of errors costs neither memory nor disk without end', async (t) => {
  const { call, store } = await startHarness(t, { limits: { errors_waiting: 5, errors_kept: 7 } });
  await Promise.all(Array.from({ length: 12 }, () => call('DELETE', '/secrets/NONE')));
  t.ok((await call('GET', '/errors')).json().errors.length <= 7);
  for (let i = 0; i < 10; i++) {
    await call('DELETE', `/secrets/N_${i}`);
    await call('GET', '/errors');
  }
  const kept = (await call('GET', '/errors')).json().errors;
  t.equal(kept.length, 7);
  t.equal(kept[0].path, '/api/v1/secrets/N_9');
  t.equal((await store.all('SELECT * FROM api_errors')).length, 7);
});

t.test('errors in memory are written when the service stops', async (t) => {
  const { call, apiErrors, store } = await startHarness(t);
  await call('DELETE', '/secrets/NONE');
  await apiErrors.close();
  t.equal((await store.all('SELECT * FROM api_errors')).length, 1);
});

t.test('failed builds are among the errors, with the side that has to act', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const build = async (key: string, result: Parameters<typeof host.finish>[1]) => {
    const body = { repo: 'owner/name', script: 'x' };
    const { id } = (await h.call('POST', '/builds', { key, body })).json();
    await h.workers.idle();
    await host.start();
    await host.finish(id, result);
    return id;
  };
  await build(h.keys.all, { exit_code: 0 });
  const broken = await build(h.keys.build, {
    exit_code: 65,
    fault: 'customer',
    reason_code: 'compile_error',
    summary: 'cannot find x',
  });
  const lost = await build(h.keys.all, {
    outcome: 'failed',
    exit_code: null,
    fault: 'platform',
    reason_code: 'host_disk_full',
    summary: 'No space.',
    script_started_at: 1,
  });
  const list = async (query: string) => (await h.call('GET', `/errors?${query}`)).json().errors;
  t.match(await list('kind=build'), [
    { build_id: lost, code: 'host_disk_full', reason_code: 'host_disk_full', fault: 'platform' },
    {
      build_id: broken,
      kind: 'build',
      code: 'compile_error',
      fault: 'customer',
      message: 'cannot find x',
      http_status: null,
      request_id: null,
      key_name: 'build',
    },
  ]);
  t.same(
    (await list('fault=platform')).map((error: { build_id: string }) => error.build_id),
    [lost],
  );
  t.same(
    (await list('key=self')).map((error: { build_id: string }) => error.build_id),
    [lost],
  );
  t.equal((await list('fault=unknown')).length, 0);
});
