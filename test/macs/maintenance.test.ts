// Resets, Xcode changes and setups over HTTP, with a host that says what it has.
// Runs in: soak
import t, { type Test } from 'tap';
import { eventsOf, type MacsWanted, startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';

const MINUTE = 60_000;

async function world(t: Test, wanted: Partial<MacsWanted> = {}) {
  const h = await startHarness(t);
  const host = await startBuildHost(h, {
    macs: 1,
    runtimes: ['iOS 26.1', 'iOS 18.5'],
    tools: ['fastlane', 'tuist'],
    ...wanted,
  });
  const rental = host.rentals[0] ?? '';
  const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    h.call('POST', path, { body, headers });
  const job = async (id: string) => (await h.call('GET', `/jobs/${id}`)).json();
  const mac = async (id = rental) =>
    (await h.call('GET', '/status')).json().macs.find((m: { rental_id: string }) => m.rental_id === id);
  const build = async (body: object = {}) =>
    (await post('/builds', { repo: 'owner/name', script: 'make', ...body })).json().id as string;
  /** A build that runs on a Mac now. */
  const running = async () => {
    const id = await build();
    await host.start();
    return id;
  };
  const wanted1 = async (id = rental) => (await host.macs()).find((m) => m.rental_id === id);
  return { h, host, rental, post, job, mac, build, running, wanted: wanted1 };
}

interface Refusal {
  status: number;
  code: string;
  retry_after_s: number | null;
  next: { method: string; path: string; body?: object }[];
  [detail: string]: unknown;
}

function refusal(answer: { statusCode: number; json(): { error: Omit<Refusal, 'status'> } }): Refusal {
  const { error } = answer.json();
  return { ...error, status: answer.statusCode } as Refusal;
}

t.test('a Mac is recreated: its job runs until the host reports the new one', async (t) => {
  const { h, host, rental, post, job, mac, wanted } = await world(t);
  const before = await wanted();
  const answer = await post(`/rentals/${rental}/reset`);
  t.equal(answer.statusCode, 202);
  const { job_id, ...rest } = answer.json();
  t.same(rest, { rental_id: rental, rental_name: 'Mac 1', result: 'accepted' });
  t.match(job_id, /^op_/);
  t.match(await job(job_id), {
    id: job_id,
    job_id,
    rental_id: rental,
    kind: 'reset',
    status: 'running',
    when: null,
    error: null,
    message: null,
    progress: null,
    ended_at: null,
    started_at: String,
  });
  t.equal((await mac()).state, 'resetting');
  const desired = await wanted();
  t.equal(desired?.generation, (before?.generation ?? 0) + 1);
  t.equal(desired?.empty_work, false);

  await host.mac(rental, 'ready', { generation: before?.generation ?? 0 });
  t.equal((await mac()).state, 'resetting', 'the old Mac, reported late, is not the new one');
  await host.mac(rental, 'ready', { revision: 0 });
  t.equal((await mac()).state, 'resetting');
  await host.mac(rental, 'preparing', { progress: { step: 'create', percent: 50 } });
  t.match(await job(job_id), { status: 'running', progress: { step: 'create', percent: 50 } });
  await h.clock.advance(5000);
  await host.mac(rental, 'ready');
  t.match(await job(job_id), {
    status: 'done',
    error: null,
    ended_at: String,
    progress: { step: 'done', percent: 100 },
  });
  t.equal((await mac()).state, 'ready');
  t.ok((await mac()).remaining_s > 719 * 3600, 'the bought time went on');
});

t.test('keep_cache only empties the work folder', async (t) => {
  const { host, rental, post, job, mac, wanted } = await world(t);
  const before = await wanted();
  const { job_id } = (await post(`/rentals/${rental}/reset`, { keep_cache: true })).json();
  t.match(await wanted(), {
    generation: before?.generation,
    revision: (before?.revision ?? 0) + 1,
    empty_work: true,
  });
  t.equal((await mac()).state, 'resetting');
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'done');
  t.equal((await wanted())?.empty_work, false, 'once');
});

t.test('another Xcode is selected when its job is done, not before', async (t) => {
  const { host, rental, post, job, mac, wanted } = await world(t);
  const answer = await post(`/rentals/${rental}/xcode`, { version: '16.1' });
  t.equal(answer.statusCode, 202);
  t.match(await mac(), { state: 'updating', xcode: '16.2' });
  t.match(await wanted(), { xcode: '16.1', generation: 1, empty_work: false });
  await host.mac(rental, 'ready');
  t.equal((await job(answer.json().job_id)).status, 'done');
  t.match(await mac(), { state: 'ready', xcode: '16.1' });
  t.equal((await wanted())?.xcode, '16.1');

  const again = await post(`/rentals/${rental}/xcode`, { version: '16.1' });
  t.equal(again.statusCode, 200);
  const unchanged = { rental_id: rental, rental_name: 'Mac 1', result: 'accepted', status: 'unchanged' };
  t.same(again.json(), unchanged);
  const several = await post('/rentals/xcode', { version: '16.1', all: true });
  t.same(several.json().results, [unchanged]);
});

t.test('PATCH changes runtimes and tools, and refuses what cannot be selected', async (t) => {
  const { h, host, rental, job, wanted } = await world(t);
  const patch = (body: unknown) => h.call('PATCH', `/rentals/${rental}`, { body });
  const kept = (body: object) => patch({ keep_cache: true, ...body });
  const refused: [unknown, object][] = [
    [{ xcode: '99' }, { field: 'xcode', options: ['16.2', '16.1'] }],
    [{ runtimes: ['iOS 1'] }, { field: 'runtimes', options: ['iOS 26.1', 'iOS 18.5'] }],
    [{ tools: ['rm'] }, { field: 'tools', options: ['fastlane', 'tuist'] }],
    [{}, { options: ['name', 'xcode', 'runtimes', 'tools'] }],
    [{ xcode: '16.2' }, { field: 'xcode', options: ['16.2', '16.1'] }],
    [{ tools: 'tuist' }, { field: 'tools' }],
    [{ xcode: null }, { field: 'xcode' }],
    [{ keep_cache: 'no' }, { field: 'keep_cache' }],
    [[], {}],
  ];
  for (const [body, detail] of refused) {
    t.match(refusal(await patch(body)), { status: 400, code: 'invalid_setup', ...detail }, JSON.stringify(body));
  }
  const answer = await kept({ runtimes: ['iOS 18.5', 'iOS 18.5'], tools: ['tuist'] });
  t.equal(answer.statusCode, 200);
  const { job_id } = answer.json();
  t.match(await job(job_id), { kind: 'setup', status: 'running' });
  t.match(await wanted(), { runtimes: ['iOS 18.5'], tools: ['tuist'], xcode: '16.2', generation: 1 });
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'done');
  t.match(await wanted(), { runtimes: ['iOS 18.5'], tools: ['tuist'] }, 'kept with the rental');
  t.match(refusal(await kept({ tools: ['tuist'] })), { code: 'invalid_setup' }, 'nothing to change');
  for (const keep of [{}, { keep_cache: false }, { keep_cache: true }]) {
    for (const body of [{}, { tools: ['tuist'] }, { xcode: '16.2', runtimes: ['iOS 18.5'] }, { when: 'now' }]) {
      const said = refusal(await patch({ ...keep, ...body }));
      t.match(said, { code: 'invalid_setup', message: /^Nothing to change/ }, JSON.stringify({ ...keep, ...body }));
    }
  }
  t.match(await wanted(), { generation: 1 }, 'what changes nothing makes no Mac anew, with every keep_cache');
  t.equal((await patch({ tools: [] })).statusCode, 200);
  t.match(await wanted(), { generation: 2, tools: [] }, 'made anew with the new setup, as by a reset');
});

t.test('a running build: refused, waited for, or cancelled', async (t) => {
  const { h, host, rental, post, job, mac, build, running } = await world(t);
  const first = await running();
  const busy = refusal(await post(`/rentals/${rental}/reset`, { keep_cache: true }));
  t.match(busy, { status: 409, code: 'rental_busy', retryable: true });
  t.equal((await h.call('GET', `/builds/${first}`)).json().status, 'running', 'and nothing was done');

  const [next] = busy.next;
  t.match(next, { method: 'POST', body: { keep_cache: true, when: 'after_build' } });
  const waits = await h.inject({
    method: 'POST',
    url: next?.path ?? '',
    headers: { authorization: `Bearer ${h.keys.all}` },
    payload: next?.body ?? {},
  });
  t.equal(waits.statusCode, 202, 'the suggested request works as it stands');
  const { job_id } = waits.json();
  t.match(await job(job_id), { status: 'queued', when: 'after_build', started_at: null });
  t.equal((await mac()).state, 'building');

  const second = await build();
  await h.workers.idle();
  t.match((await h.call('GET', `/builds/${second}`)).json(), {
    status: 'queued',
    wait_reason: 'mac_in_maintenance',
    estimated_start_at: null,
    estimated_wait_s: null,
  });
  await host.finish(first);
  t.match(await job(job_id), { status: 'running' });
  t.equal((await mac()).state, 'resetting', 'the job has its turn before the next build');
  t.equal((await h.call('GET', `/builds/${second}`)).json().status, 'queued');
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'done');
  t.equal((await h.call('GET', `/builds/${second}`)).json().status, 'running');
  await host.start();

  const now = (await post(`/rentals/${rental}/reset`, { when: 'now' })).json().job_id;
  t.equal((await job(now)).status, 'queued', 'until the build has been stopped');
  t.match(await host.desired(), [{ build_id: second, want: 'stop', stop_reason: 'cancelled_by_user' }]);
  await host.finish(second, { outcome: 'stopped', exit_code: 143, stop_reason: 'cancelled_by_user' });
  t.match((await h.call('GET', `/builds/${second}`)).json(), {
    status: 'cancelled',
    end_reason: 'cancelled_by_user',
    failure: null,
    warnings: [/^While the build ran, a reset of its Mac was requested/],
  });
  t.match((await eventsOf(h, second)).at(-2), {
    event_type: 'build.cancelled',
    build: { end_reason: 'cancelled_by_user' },
  });
  t.equal((await job(now)).status, 'running');
  await host.mac(rental, 'ready');
  t.equal((await job(now)).status, 'done');
});

t.test('one job at a time per Mac', async (t) => {
  const { h, host, rental, post, job } = await world(t);
  const { job_id } = (await post(`/rentals/${rental}/reset`)).json();
  for (const send of [
    () => post(`/rentals/${rental}/reset`, { keep_cache: true, when: 'now' }),
    () => post(`/rentals/${rental}/xcode`, { version: '16.1' }),
    () => h.call('PATCH', `/rentals/${rental}`, { body: { tools: ['tuist'] } }),
  ]) {
    const refused = refusal(await send());
    t.match(refused, { status: 409, code: 'job_in_progress', job_id, retryable: true });
    t.match(refused.next, [{ method: 'GET', path: `/api/v1/jobs/${job_id}` }]);
  }
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'done');
  const both = await Promise.all([
    post(`/rentals/${rental}/xcode`, { version: '16.1' }),
    post(`/rentals/${rental}/reset`, { keep_cache: true }),
  ]);
  t.same(both.map((answer) => answer.statusCode).sort(), [202, 409]);
});

t.test('new VMs: one per 10 minutes, 20 per day; the error has a delay and an alternative', async (t) => {
  const { h, host, rental, post } = await world(t);
  const renew = async () => {
    const answer = await post(`/rentals/${rental}/reset`);
    if (answer.statusCode === 202) await host.mac(rental, 'ready');
    return answer;
  };
  t.equal((await renew()).statusCode, 202);
  const refused = await renew();
  t.match(refusal(refused), { status: 429, code: 'reset_limit', retryable: true, retry_after_s: 600 });
  t.equal(refused.headers['retry-after'], '600');
  const [next] = refused.json().error.next;
  t.match(next, { method: 'POST', path: `/api/v1/rentals/${rental}/reset`, body: { keep_cache: true } });
  t.equal((await post(next.path.slice('/api/v1'.length), next.body)).statusCode, 202);
  await host.mac(rental, 'ready');
  t.match((await post('/rentals/reset', { all: true })).json().results, [
    { rental_id: rental, result: 'rejected', reason: 'reset_limit', retry_after_s: 600 },
  ]);
  for (let n = 2; n <= 20; n++) {
    await h.clock.advance(10 * MINUTE);
    t.equal((await renew()).statusCode, 202, `the ${n}th`);
  }
  await h.clock.advance(10 * MINUTE);
  const wait = refusal(await renew()).retry_after_s ?? 0;
  t.equal(wait, 24 * 3600 - 200 * 60);
  await h.clock.advance(wait * 1000 - 1);
  t.equal((await renew()).statusCode, 429);
  await h.clock.advance(1);
  t.equal((await renew()).statusCode, 202);
});

t.test('a reset that failed does not count', async (t) => {
  const { host, rental, post, job, mac, wanted } = await world(t);
  const { job_id } = (await post(`/rentals/${rental}/reset`)).json();
  const before = await wanted();
  await host.mac(rental, 'failed', {
    refused: { revision: before?.revision ?? 0, code: 'failed', message: 'The image cannot be read.' },
  });
  t.match(await job(job_id), {
    status: 'failed',
    error: 'reset_failed',
    message: 'The image cannot be read.',
    reason: { code: null, text: 'The image cannot be read.' },
  });
  t.equal((await mac()).state, 'preparing', 'a Mac that does not work is made anew');
  t.equal((await wanted())?.generation, (before?.generation ?? 0) + 1);
  await host.mac(rental, 'ready');
  t.equal((await mac()).state, 'ready');
  t.equal((await post(`/rentals/${rental}/reset`)).statusCode, 202);
});

t.test('an Xcode that the host lacks fails the job and leaves the Mac as it was', async (t) => {
  const { host, rental, post, job, mac, wanted } = await world(t);
  const { job_id } = (await post(`/rentals/${rental}/xcode`, { version: '16.1' })).json();
  const revision = (await wanted())?.revision ?? 0;
  const message = 'Xcode 16.1 is not installed on this host';
  await host.mac(rental, 'ready', {
    xcode: '16.2',
    revision: revision - 1,
    refused: { revision, code: 'not_installed', message },
  });
  t.match(await job(job_id), { status: 'failed', error: 'xcode_not_available', message });
  t.match(await mac(), { state: 'ready', xcode: '16.2' });
  t.match(await wanted(), { xcode: '16.2', revision });
  await host.mac(rental, 'ready', { revision: revision - 1 });
  t.equal((await mac()).state, 'ready');
});

t.test('several Macs at once: each has its own result', async (t) => {
  const { h, host, post, running } = await world(t, { macs: 4 });
  const [a = '', b = '', c = '', d = ''] = host.rentals;
  await running();
  const busy = (await h.call('GET', '/status')).json().queue.running[0].rental_public_id;
  t.equal(busy, a);
  await post(`/rentals/${b}/reset`, { keep_cache: true });
  await end(h, d);
  const answer = await post('/rentals/reset', { ids: [d, c, b, a, c] });
  t.equal(answer.statusCode, 200);
  t.match(answer.json().results, [
    { rental_id: d, result: 'rejected', reason: 'rental_not_active' },
    { rental_id: c, result: 'accepted', job_id: /^op_/ },
    { rental_id: b, result: 'rejected', reason: 'job_in_progress', detail: { job_id: /^op_/ } },
    { rental_id: a, result: 'rejected', reason: 'rental_busy' },
  ]);
  t.equal(answer.json().results.length, 4, 'one answer a Mac, however often it is named');

  const xcode = (await post('/rentals/xcode', { all: true, version: '99', when: 'now' })).json().results;
  t.same(
    xcode.map((r: { reason: string; detail: object }) => [r.reason, r.detail]),
    [a, b, c].map(() => ['xcode_not_available', { options: ['16.2', '16.1'] }]),
  );
  t.same((await post('/rentals/batch', { action: 'reset', rental_ids: [a] })).json().results[0].reason, 'rental_busy');
  const batch = await post('/rentals/batch', {
    action: 'xcode',
    rental_ids: [a],
    xcode: '16.1',
    when: 'after_build',
  });
  t.match(batch.json().results, [{ rental_id: a, result: 'accepted', job_id: /^op_/ }]);
  t.match(refusal(await post('/rentals/batch', { action: 'xcode', rental_ids: [a] })), {
    code: 'invalid_setup',
    field: 'xcode',
  });
  t.match(refusal(await post('/rentals/batch', { action: 'sing', rental_ids: [a] })), {
    code: 'invalid_setup',
    field: 'action',
  });
});

t.test('an unknown Mac: no Mac is changed', async (t) => {
  const { h, rental, post, mac } = await world(t);
  const foreign = await startBuildHost(h, { macs: 1, tier: 'other', accountId: h.other.id });
  for (const unknown of ['rt_nobody', foreign.rentals[0] ?? '', '']) {
    for (const [path, body] of [
      ['/rentals/reset', { ids: [rental, unknown] }],
      ['/rentals/xcode', { ids: [rental, unknown], version: '16.1' }],
      ['/rentals/batch', { rental_ids: [rental, unknown], action: 'reset' }],
    ] as const) {
      t.match(refusal(await post(path, body)), { status: 404, code: 'rental_not_found' }, path);
    }
    if (unknown === '') continue;
    t.match(refusal(await post(`/rentals/${unknown}/reset`)), { status: 404, code: 'rental_not_found' });
    t.match(refusal(await post(`/rentals/${unknown}/xcode`, { version: '16.1' })), {
      code: 'rental_not_found',
    });
    t.match(refusal(await h.call('PATCH', `/rentals/${unknown}`, { body: { xcode: '16.1' } })), {
      code: 'rental_not_found',
    });
  }
  t.equal((await mac()).state, 'ready');
  t.match(refusal(await h.call('GET', '/jobs/op_nobody')), { status: 404, code: 'job_not_found' });
});

t.test('invalid requests are refused with the right code', async (t) => {
  const { rental, post } = await world(t);
  const rows: [string, unknown, string][] = [
    ['/rentals/reset', {}, 'invalid_target'],
    ['/rentals/reset', { all: false }, 'invalid_target'],
    ['/rentals/reset', { all: true, ids: [rental] }, 'invalid_target'],
    ['/rentals/reset', { ids: [] }, 'invalid_target'],
    ['/rentals/reset', { ids: rental }, 'invalid_target'],
    ['/rentals/reset', { ids: [7] }, 'invalid_target'],
    ['/rentals/reset', { all: 'yes' }, 'invalid_target'],
    ['/rentals/reset', { all: true, when: 'later' }, 'invalid_when'],
    ['/rentals/reset', { all: true, when: null }, 'invalid_when'],
    ['/rentals/reset', { all: true, keep_cache: 1 }, 'invalid_setup'],
    ['/rentals/xcode', { version: '16.1' }, 'invalid_target'],
    ['/rentals/xcode', { all: true }, 'invalid_setup'],
    ['/rentals/xcode', { all: true, version: 16 }, 'invalid_setup'],
    ['/rentals/batch', { action: 'reset' }, 'invalid_target'],
    ['/rentals/batch', { action: 'reset', rental_ids: [], when: 'x' }, 'invalid_target'],
    [`/rentals/${rental}/reset`, { when: 'never' }, 'invalid_when'],
    [`/rentals/${rental}/reset`, { keep_cache: null }, 'invalid_setup'],
    [`/rentals/${rental}/xcode`, {}, 'invalid_setup'],
    [`/rentals/${rental}/xcode`, { version: '' }, 'xcode_not_available'],
    [`/rentals/${rental}/xcode`, { version: '99' }, 'xcode_not_available'],
  ];
  for (const [path, body, code] of rows) {
    t.match(refusal(await post(path, body as object)), { status: 400, code }, `${path} ${JSON.stringify(body)}`);
  }
  t.match(refusal(await post(`/rentals/${rental}/xcode`, { version: '99' })), { options: ['16.2', '16.1'] });
});

t.test('the same Idempotency-Key: the same response, also when some Macs were refused', async (t) => {
  const { host, rental, post, running, h } = await world(t, { macs: 2 });
  await running();
  const key = { 'idempotency-key': 'reset-all' };
  const body = { all: true, keep_cache: true };
  const first = await post('/rentals/reset', body, key);
  t.same(
    first.json().results.map((r: { result: string }) => r.result),
    ['rejected', 'accepted'],
  );
  await host.mac(host.rentals[1] ?? '', 'ready');
  const again = await post('/rentals/reset', body, key);
  t.equal(again.headers['idempotent-replayed'], 'true');
  t.equal(again.body, first.body);
  t.match(refusal(await post('/rentals/reset', { all: true }, key)), { code: 'idempotency_conflict' });
  t.match(refusal(await post('/rentals/reset', body, { 'idempotency-key': 'a b' })), {
    code: 'invalid_idempotency_key',
  });
  const one = { 'idempotency-key': 'one' };
  t.match(refusal(await post(`/rentals/${rental}/reset`, { keep_cache: true }, one)), {
    code: 'rental_busy',
  });
  const [build] = (await h.call('GET', '/builds')).json().builds;
  await host.finish(build.id);
  const accepted = await post(`/rentals/${rental}/reset`, { keep_cache: true }, one);
  t.equal(accepted.statusCode, 202, 'a refusal had no effect and is tried anew');
  const replayed = await post(`/rentals/${rental}/reset`, { keep_cache: true }, one);
  t.equal(replayed.statusCode, 202);
  t.equal(replayed.body, accepted.body);
  const patch = { body: { tools: ['tuist'], keep_cache: true }, headers: { 'idempotency-key': 'patch' } };
  await host.mac(rental, 'ready');
  const patched = await h.call('PATCH', `/rentals/${rental}`, patch);
  t.equal((await h.call('PATCH', `/rentals/${rental}`, patch)).body, patched.body);
});

/** Ends a rental as if its time were over. */
async function end(h: Harness, rentalId: string) {
  const { store, clock } = h;
  await store.run('UPDATE rentals SET ends_at = :now WHERE rental_id = :rentalId', {
    now: clock.now(),
    rentalId,
  });
  await h.pass(3_600_000);
}

t.test('a job whose rental ends fails, whether it waits or runs', async (t) => {
  const { h, host, post, job, running } = await world(t, { macs: 2 });
  const [a = '', b = ''] = host.rentals;
  await running();
  const waits = (await post(`/rentals/${a}/reset`, { when: 'after_build' })).json().job_id;
  const runs = (await post(`/rentals/${b}/reset`)).json().job_id;
  await end(h, a);
  await end(h, b);
  for (const id of [waits, runs]) {
    t.match(await job(id), { status: 'failed', error: 'rental_ended', message: String, ended_at: String });
  }
  t.match(refusal(await post(`/rentals/${b}/reset`)), { status: 409, code: 'rental_not_active' });
});

t.test('a host that loses the Mac of a queued job recreates it, and then the job is done', async (t) => {
  const { h, host, rental, post, job, mac, running } = await world(t);
  const id = await running();
  const { job_id } = (await post(`/rentals/${rental}/reset`, { keep_cache: true, when: 'after_build' })).json();
  await host.mac(rental, 'failed');
  t.match((await h.call('GET', `/builds/${id}`)).json(), {
    status: 'failed',
    failure: { reason_code: 'mac_lost' },
  });
  t.equal((await mac()).state, 'preparing');
  t.equal((await job(job_id)).status, 'queued');
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'running');
  await host.mac(rental, 'ready');
  t.equal((await job(job_id)).status, 'done');
});

t.test('a host that never completes a change does not block its Mac for ever', async (t) => {
  const { h, host, rental, post, job, mac, wanted } = await world(t);
  const { job_id } = (await post(`/rentals/${rental}/reset`, { keep_cache: true })).json();
  const before = await wanted();
  await h.pass(h.limits.job_give_up_ms - 1);
  t.equal((await job(job_id)).status, 'running');
  await h.pass(1);
  t.match(await job(job_id), {
    status: 'failed',
    error: 'reset_failed',
    message: /in time/,
    reason: { code: 'host_timeout', params: {}, text: /in time/ },
  });
  t.equal((await mac()).state, 'preparing');
  t.equal((await wanted())?.generation, (before?.generation ?? 0) + 1, 'it is made anew');
  await host.mac(rental, 'ready');
  t.equal((await mac()).state, 'ready');
});
