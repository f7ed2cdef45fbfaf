// Builds through the HTTP API, with a host whose reports the test scripts.
import t from 'tap';
import { eventsOf, startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { type BuildView, code, HOUR, MINUTE, repo, show, submit, withMacs } from '../harness/submitting.js';

t.test('a build runs from the request to its end', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const answer = await h.call('POST', '/builds', {
    body: {
      script: 'make test',
      ...repo,
      ref: 'main',
      commit: 'ABCDEF1',
      pr: 7,
      xcode: '16.1',
      timeout_min: 5,
    },
  });
  t.equal(answer.statusCode, 201);
  const created = answer.json();
  t.match(created, {
    id: /^rb_[0-9a-z]+$/,
    status: 'queued',
    state: 'queued',
    repo: 'apple/swift',
    repo_url: null,
    ref: 'main',
    pr: 7,
    commit: 'abcdef1',
    commit_sha: null,
    rental_public_id: null,
    exit_code: null,
    queue_position: 1,
    fifo_position: 0,
    estimated_wait_s: 0,
    script: 'make test',
    xcode: '16.1',
    timeout_min: 5,
    priority: 0,
    clean_tree: false,
    wait_reason: null,
    end_reason: null,
    attempt: 1,
    timings: { started_at: null, ended_at: null, queue_s: 0, run_s: null },
    failure: null,
  });
  t.notOk('notify' in created);

  t.same(await host.start(), [created.id], 'it is on the host without a tick of the clock');
  const [desired] = await host.desired();
  t.match(desired, { want: 'run', stop_reason: null, spec: null, secrets: null }, 'told once');
  const [rentalId] = host.rentals;
  t.match(await show(h, created.id), {
    status: 'running',
    rental_public_id: rentalId,
    queue_position: null,
    fifo_position: 0,
    estimated_wait_s: null,
    wait_reason: null,
  });
  t.match((await h.call('GET', '/status')).json().macs, [{ rental_id: rentalId, state: 'building' }]);

  await host.output(created.id, 'hello\n');
  await h.clock.advance(12_345);
  t.equal(await host.finish(created.id), null);
  const done = await show(h, created.id);
  t.match(done, { status: 'succeeded', exit_code: 0, end_reason: 'succeeded', failure: null });
  t.match(done.timings, { queue_s: 0, run_s: 12.345 });
  t.match((await h.call('GET', '/status')).json().macs, [{ state: 'ready' }]);
  t.same(await host.desired(), []);

  const events = await eventsOf(h, created.id);
  t.same(
    events.map(({ event_type, sequence }) => [sequence, event_type]),
    [
      [1, 'build.queued'],
      [2, 'build.started'],
      [3, 'build.succeeded'],
      [4, 'build.completed'],
    ],
  );
  t.equal(new Set(events.map((event) => event.event_id)).size, 4);
  t.match(events[2], {
    schema_version: 1,
    event_id: /^evt_/,
    stall: null,
    build: {
      id: created.id,
      status: 'succeeded',
      exit_code: 0,
      end_reason: 'succeeded',
      repo: 'apple/swift',
      commit: 'abcdef1',
      pr: 7,
      xcode: '16.1',
      rental_id: rentalId,
      queue_s: 0,
      run_s: 12,
      duration_s: 12,
      wait_reason: null,
      failure: null,
      log_url: `http://cidermill.test/api/v1/builds/${created.id}/log`,
    },
  });
  t.equal(await host.finish(created.id).catch(() => 'gone'), 'gone');
});

const listed = async (h: Harness, id: string) =>
  (await h.call('GET', '/builds')).json().builds.find((build: { id: string }) => build.id === id);

t.test('a build and its events name the commit that was checked out, of the present attempt', async (t) => {
  const h = await startHarness(t);
  const ending = await startBuildHost(h, { macs: 1, hours: 24 });
  await h.clock.advance(24 * HOUR - MINUTE);
  const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];
  const { id } = await submit(h, { commit: 'AAAAAAA' });
  await ending.start();
  const host = await startBuildHost(h, { macs: 1 });
  const shas = async () => (await eventsOf(h, id)).map(({ build }) => [build.commit, build.commit_sha]);
  t.match(await show(h, id), { commit: 'aaaaaaa', commit_sha: null }, 'nothing is checked out yet');
  await ending.facts({ build_id: id, commit_sha: null });
  await ending.facts({ build_id: id, attempt: 2, commit_sha: second });
  t.equal((await show(h, id)).commit_sha, null, 'a report of another attempt has no effect');
  const about = { title: 'Round the total once', author: 'Ada Lovelace' };
  await ending.facts({ build_id: id, commit_sha: first, commit_about: about });
  t.match(await show(h, id), { status: 'running', commit: 'aaaaaaa', commit_sha: first, commit_author: about.author });
  t.equal((await listed(h, id)).commit_title, 'Round the total once', 'lists have its title');
  const found = async (q: string) => (await h.call('GET', `/builds?q=${q}`)).json().builds.length;
  t.same([await found('TOTAL%20once'), await found('total%20twice')], [1, 0], 'and are searched for it');
  await ending.facts({ build_id: id });
  t.equal((await show(h, id)).commit_sha, first, 'a report without a commit takes none away');

  await h.pass(MINUTE);
  const other = { attempt: 2, commit_sha: null, commit_title: null, commit_author: null };
  t.match(await show(h, id), { status: 'running', ...other }, 'on another Mac');
  await host.start();
  await host.finish(id, { commit_sha: second, commit_about: { title: 'Two', author: 'Bo' } });
  t.match(await show(h, id), { status: 'succeeded', commit: 'aaaaaaa', commit_sha: second, commit_title: 'Two' });
  t.same((await shas()).slice(0, 2), [
    ['aaaaaaa', null],
    ['aaaaaaa', null],
  ]);
  t.same((await shas()).at(-1), ['aaaaaaa', second]);

  const upload = await submit(h, { ref: 'main' });
  await host.start();
  await host.finish(upload.id, { commit_sha: null });
  t.equal((await show(h, upload.id)).commit_sha, null);
});

t.test('POST /builds refuses invalid requests with the right code', async (t) => {
  const { h } = await withMacs(t, 1);
  const table: [string, unknown, string][] = [
    ['no script', repo, 'invalid_script'],
    ['script of the wrong type', { ...repo, script: 7 }, 'invalid_script'],
    ['empty script', { ...repo, script: '' }, 'invalid_script'],
    ['blank script', { ...repo, script: ' \n' }, 'invalid_script'],
    ['script with NUL', { ...repo, script: 'a\0b' }, 'invalid_script'],
    ['script too long', { ...repo, script: 'x'.repeat(256 * 1024 + 1) }, 'invalid_script'],
    ['a list', [], 'invalid_build'],
    ['null', null, 'invalid_build'],
    ['no source', { script: 'x' }, 'one_source_only'],
    ['two sources', { script: 'x', ...repo, upload_id: 'up_1' }, 'one_source_only'],
    [
      'three sources',
      { script: 'x', ...repo, upload_id: 'up_1', repo_url: 'https://github.com/a/b' },
      'one_source_only',
    ],
    ['a null source', { script: 'x', repo: null }, 'invalid_build'],
    ['bad repo', { script: 'x', repo: 'swift' }, 'invalid_repo'],
    ['bad repo_url', { script: 'x', repo_url: 'git@github.com:a/b' }, 'invalid_repo_url'],
    ['foreign host', { script: 'x', repo_url: 'https://evil.example/a/b' }, 'repo_host_not_allowed'],
    ['ref that is an option', { ...repo, script: 'x', ref: '--upload-pack=id' }, 'invalid_ref'],
    ['ref of the wrong type', { ...repo, script: 'x', ref: 1 }, 'invalid_build'],
    ['short commit', { ...repo, script: 'x', commit: 'abc' }, 'invalid_commit'],
    ['pr 0', { ...repo, script: 'x', pr: 0 }, 'invalid_build'],
    ['pr as text', { ...repo, script: 'x', pr: '7' }, 'invalid_build'],
    ['timeout 0', { ...repo, script: 'x', timeout_min: 0 }, 'invalid_build'],
    ['timeout 361', { ...repo, script: 'x', timeout_min: 361 }, 'invalid_build'],
    ['half a minute', { ...repo, script: 'x', timeout_min: 1.5 }, 'invalid_build'],
    ['priority 2', { ...repo, script: 'x', priority: 2 }, 'invalid_build'],
    ['clean_tree as text', { ...repo, script: 'x', clean_tree: 'yes' }, 'invalid_build'],
    ['unknown Xcode', { ...repo, script: 'x', xcode: '99.9' }, 'invalid_xcode'],
    ['Xcode of the wrong type', { ...repo, script: 'x', xcode: 16 }, 'invalid_build'],
    ['unknown Mac', { ...repo, script: 'x', rental_id: 'rt_none' }, 'rental_not_found'],
    ['unknown upload', { script: 'x', upload_id: 'up_none' }, 'upload_not_found'],
    ['private receiver', { ...repo, script: 'x', notify_url: 'https://127.0.0.1/x' }, 'invalid_webhook'],
    ['plain receiver', { ...repo, script: 'x', notify_url: 'http://example.com/x' }, 'invalid_webhook'],
    ['receiver of the wrong type', { ...repo, script: 'x', notify_url: 1 }, 'invalid_build'],
  ];
  for (const [name, body, expected] of table) {
    const answer = await h.call('POST', '/builds', { body });
    t.equal(code(answer), expected, name);
    t.ok(answer.statusCode < 500, `${name}: not our fault`);
  }
  t.same((await h.call('GET', '/builds')).json(), { builds: [], next_before: null }, 'nothing was kept');
  t.equal((await h.store.all("SELECT * FROM events WHERE subject_kind = 'build'")).length, 0);
  const limits = [1, 360];
  for (const timeout_min of limits) t.match(await submit(h, { timeout_min }), { timeout_min });
});

t.test('Macs: none, reserved, ended, another account’s, another Xcode', async (t) => {
  const h = await startHarness(t);
  const post = (body: Record<string, unknown>, key = h.keys.all) =>
    h.call('POST', '/builds', { body: { script: 'x', ...repo, ...body }, key });
  t.equal(code(await post({})), 'no_active_rental');
  t.equal(code(await post({ xcode: '16.2' })), 'no_active_rental');
  const patient = await submit(h, { queue_until_rental: true });
  t.match(patient, { status: 'queued', wait_reason: 'waiting_for_rental', estimated_wait_s: null });

  const host = await startBuildHost(h, { macs: 1, hours: 24, ready: false });
  const [mac] = host.rentals;
  const waits = await submit(h);
  t.match(await show(h, patient.id), {
    wait_reason: 'mac_preparing',
    estimated_start_at: null,
    queue_position: 1,
  });
  t.match(waits, { wait_reason: 'mac_preparing', queue_position: 2, fifo_position: 1 });
  await host.mac(mac ?? '', 'ready');
  t.equal((await show(h, patient.id)).status, 'running');

  await startBuildHost(h, { macs: 1, tier: 'old', xcodes: ['15.4'], accountId: h.other.id });
  t.equal(code(await post({ rental_id: mac }, h.other.key)), 'rental_not_found', 'another account’s Mac');
  const refused = await post({ xcode: '15.4' });
  t.equal(code(refused), 'xcode_not_available');
  t.same(refused.json().error.options, ['16.2', '16.1']);
  t.equal(code(await post({ xcode: '15.4', rental_id: mac, queue_until_rental: true })), 'xcode_not_available');
  t.match(await submit(h, { xcode: '15.4', queue_until_rental: true }), { wait_reason: 'xcode_unavailable' });

  await h.store.run(`UPDATE macs SET state = 'reserved', ready_at = NULL, build_id = NULL WHERE rental_id = '${mac}'`);
  t.equal(code(await post({})), 'no_active_rental');
  t.equal(code(await post({ rental_id: mac })), 'rental_not_active');
  t.match(await submit(h, { rental_id: mac, queue_until_rental: true }), {
    wait_reason: 'waiting_for_rental',
    pinned_rental_id: mac,
  });
  await h.store.run(`UPDATE macs SET state = 'ended' WHERE rental_id = '${mac}'`);
  t.equal(code(await post({ rental_id: mac })), 'rental_not_active');
});

t.test('the order, the limits and the reasons of the queue', async (t) => {
  const { h, host } = await withMacs(t, 1, { limits: { queued_builds: 4 } });
  const [mac] = host.rentals;
  const first = await submit(h, { timeout_min: 10 });
  const second = await submit(h, { timeout_min: 20 });
  const third = await submit(h);
  const urgent = await submit(h, { priority: 1, rental_id: mac });
  t.match(urgent, {
    queue_position: 1,
    fifo_position: 2,
    wait_reason: 'pinned_mac_busy',
    estimated_wait_s: 600,
  });
  t.match(await show(h, second.id), { queue_position: 2, fifo_position: 0, wait_reason: 'mac_busy' });

  t.match((await h.call('PATCH', `/builds/${third.id}`, { body: { priority: 1 } })).json(), {
    priority: 1,
    queue_position: 1,
    estimated_wait_s: 600,
  });
  const queue = (await h.call('GET', '/queue')).json();
  t.match(queue, { running_count: 1, queued_count: 3, estimate_basis: 'timeout_budget' });
  t.same(
    [...queue.running, ...queue.queued].map((build: BuildView) => build.id),
    [first.id, third.id, urgent.id, second.id],
  );
  t.same(
    queue.queued.map((build: { estimated_wait_s: number }) => build.estimated_wait_s / 60),
    [10, 70, 130],
  );

  for (const body of [{}, { priority: 2 }, { priority: '1' }, { priority: null }]) {
    t.equal(code(await h.call('PATCH', `/builds/${third.id}`, { body })), 'invalid_build');
  }
  t.equal(code(await h.call('PATCH', `/builds/${first.id}`, { body: { priority: 1 } })), 'build_not_queued');
  t.equal(code(await h.call('PATCH', '/builds/rb_none', { body: { priority: 1 } })), 'build_not_found');
  await submit(h);
  const full = await h.call('POST', '/builds', { body: { script: 'x', ...repo } });
  t.equal(code(full), 'queue_full');
  t.ok(Number(full.headers['retry-after']) > 0);

  await h.clock.advance(61 * MINUTE);
  t.match(await show(h, second.id), { queue_position: 1 }, 'after an hour it is as urgent as the others, and older');
});

t.test('a key has a limit of its own on running builds', async (t) => {
  const { h, host } = await withMacs(t, 3, { limits: { concurrent_builds: 1 } });
  const second = await h.createKey(['read', 'build']);
  const mine = await submit(h);
  const refused = await h.call('POST', '/builds', { body: { script: 'x', ...repo } });
  t.equal(code(refused), 'too_many_concurrent_builds');
  t.ok(refused.json().error.retryable);
  t.equal((await show(h, (await submit(h, {}, second)).id)).status, 'running', 'another key goes on');
  await h.call('POST', `/builds/${mine.id}/cancel`);
  await host.finish(mine.id, { outcome: 'stopped', stop_reason: 'cancelled_by_user' });
  const later = await startBuildHost(h, { macs: 2, ready: false });
  const two = [];
  for (const rental_id of later.rentals) two.push(await submit(h, { rental_id }));
  for (const rental of later.rentals) await later.mac(rental, 'ready');
  t.match(await Promise.all(two.map(({ id }) => show(h, id))), [
    { status: 'running', wait_reason: null },
    { status: 'queued', wait_reason: 'concurrency_limit' },
  ]);
});

t.test(
  'cancelling: a waiting build at once, a running one when its host has stopped it, an ended one never',
  async (t) => {
    const { h, host } = await withMacs(t, 1);
    const cancel = (id: string, key = h.keys.all) => h.call('POST', `/builds/${id}/cancel`, { key });
    const run = await submit(h);
    const wait = await submit(h);
    t.match((await cancel(wait.id)).json(), {
      status: 'cancelled',
      end_reason: 'cancelled_by_user',
      exit_code: null,
    });
    t.same(
      (await eventsOf(h, wait.id)).map((e) => e.event_type),
      ['build.queued', 'build.cancelled', 'build.completed'],
    );
    t.match((await cancel(wait.id)).json(), { status: 'cancelled' });
    t.equal((await eventsOf(h, wait.id)).length, 3, 'cancelled once');

    await host.start();
    t.match((await cancel(run.id)).json(), { status: 'running', stop_requested_at: /^2026-/ });
    t.match((await cancel(run.id)).json(), { status: 'running' });
    t.match((await host.desired())[0], { want: 'stop', stop_reason: 'cancelled_by_user', spec: null });
    await host.finish(run.id, { outcome: 'stopped', stop_reason: 'cancelled_by_user', exit_code: 143 });
    t.match(await show(h, run.id), {
      status: 'cancelled',
      end_reason: 'cancelled_by_user',
      exit_code: 143,
      failure: null,
    });
    t.match((await cancel(run.id)).json(), { status: 'cancelled' });
    t.equal(code(await cancel(run.id, h.other.key)), 'build_not_found');
    t.equal(code(await cancel('rb_none')), 'build_not_found');

    const late = await submit(h);
    await host.start();
    await cancel(late.id);
    await host.finish(late.id, { exit_code: 0 });
    t.match(await show(h, late.id), { status: 'succeeded' }, 'it was faster than the stop');

    const untold = await submit(h);
    await cancel(untold.id);
    t.match((await host.desired())[0], { want: 'stop', spec: null, secrets: null });
    await host.facts({ build_id: untold.id, state: 'absent' });
    t.match(await show(h, untold.id), { status: 'cancelled' }, 'stopped before the host had heard of it');
  },
);

t.test('a list can be filtered, searched and paged, and shows no other account’s builds', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const at: string[] = [];
  const make = async (body: Record<string, unknown>) => {
    await h.clock.advance(1000);
    at.push(new Date(h.clock.now()).toISOString());
    return (await submit(h, body)).id;
  };
  const a = await make({ ref: 'main', pr: 1 });
  const b = await make({ repo: 'me/sure', script: 'echo 50%_done ÉTÉ' });
  const c = await make({ repo_url: 'https://gitlab.com/x/y', pr: 2, rental_id: mac });
  const d = await make({ script: 'Make\\Clean', ref: 'feature/x' });
  await h.call('POST', `/builds/${d}/cancel`);
  await host.finish(a, { exit_code: 2 });
  const theirs = await startBuildHost(h, { macs: 1, accountId: h.other.id });
  t.equal(theirs.rentals.length, 1);
  await submit(h, {}, h.other.key);

  const ids = async (query: string) => {
    const answer = await h.call('GET', `/builds${query}`);
    return answer.json().builds.map((build: BuildView) => build.id);
  };
  const table: [string, string[]][] = [
    ['', [d, c, b, a]],
    ['?status=failed', [a]],
    ['?state=failed', [a]],
    ['?status=active', [c, b]],
    ['?status=active&state=queued', [c]],
    ['?status=failed&state=queued', []],
    ['?status=expired', []],
    ['?repo=apple/swift', [d, a]],
    ['?repo=apple', []],
    [`?repo=${encodeURIComponent('https://gitlab.com/x/y')}`, [c]],
    ['?pr=2', [c]],
    ['?pr=3', []],
    [`?rental_id=${mac}`, [c, b, a]],
    [`?from=${at[2]}`, [d, c]],
    [`?to=${at[2]}`, [b, a]],
    [`?from=${Date.parse(at[1] ?? '')}&to=${Date.parse(at[3] ?? '')}`, [c, b]],
    ['?q=%25_', [b]],
    ['?q=%25', [b]],
    ['?q=50%25_done', [b]],
    ['?q=make%5C', [d]],
    ['?q=MAKE', [d, c, a]],
    ['?q=gitlab', [c]],
    [`?q=${a}`, [a]],
    ['?q=feature/', [d]],
    ['?q=', [d, c, b, a]],
    [`?q=${encodeURIComponent('done ÉTÉ')}`, [b]],
    [`?q=${encodeURIComponent('🍎'.repeat(100))}`, []],
    ['?limit=2', [d, c]],
    [`?before=${c}`, [b, a]],
    [`?before=${c}&limit=1`, [b]],
    [`?before=${a}`, []],
  ];
  for (const [query, expected] of table) t.same(await ids(query), expected, query);

  const walked: string[] = [];
  let before: string | null = null;
  do {
    const page: { builds: BuildView[]; next_before: string | null } = (
      await h.call('GET', `/builds?limit=1${before ? `&before=${before}` : ''}`)
    ).json();
    walked.push(...page.builds.map((build) => build.id));
    before = page.next_before;
  } while (before !== null);
  t.same(walked, [d, c, b, a], 'page by page');

  const bad: [string, string][] = [
    ['?status=done', 'invalid_query'],
    ['?state=', 'invalid_query'],
    ['?pr=0', 'invalid_query'],
    ['?pr=x', 'invalid_query'],
    ['?limit=0', 'invalid_query'],
    ['?limit=201', 'invalid_query'],
    ['?limit=1&limit=2', 'invalid_query'],
    ['?from=yesterday', 'invalid_from'],
    ['?to=2026-13-01', 'invalid_to'],
    [`?q=${'x'.repeat(101)}`, 'invalid_query'],
    [`?q=${encodeURIComponent('🍎'.repeat(101))}`, 'invalid_query'],
    ['?before=rb_none', 'invalid_query'],
  ];
  for (const [query, expected] of bad) t.equal(code(await h.call('GET', `/builds${query}`)), expected, query);
});

t.test('another account neither sees nor moves a build', async (t) => {
  const { h } = await withMacs(t, 1);
  const { id } = await submit(h);
  for (const [method, path, body] of [
    ['GET', `/builds/${id}`],
    ['GET', `/builds/${id}/wait?timeout=1`],
    ['GET', `/builds/${id}/log`],
    ['GET', `/builds/${id}/log?offset=0`],
    ['GET', `/builds/${id}/log?format=text&wait=1`],
    ['PATCH', `/builds/${id}`, { priority: 1 }],
    ['POST', `/builds/${id}/cancel`],
  ] as const) {
    const answer = await h.call(method, path, { key: h.other.key, ...(body ? { body } : {}) });
    t.equal(answer.statusCode, 404, `${method} ${path}`);
    t.equal(code(answer), 'build_not_found');
  }
  t.equal(code(await h.call('GET', `/builds?before=${id}`, { key: h.other.key })), 'invalid_query');
  t.match(await show(h, id), { status: 'running' });
});

t.test('the same request under the same Idempotency-Key makes one build', async (t) => {
  const { h } = await withMacs(t, 1);
  const send = (body: unknown, name = 'once') =>
    h.call('POST', '/builds', { body, headers: { 'idempotency-key': name } });
  const body = { script: 'x', ...repo, notify_url: 'https://hooks.example.com/x' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(body)));
  t.equal(new Set(answers.map((answer) => answer.body)).size, 1, 'five at once, one answer, its secret too');
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true').length, 4);
  t.equal((await h.call('GET', '/builds')).json().builds.length, 1);
  t.equal(code(await send({ ...body, script: 'y' })), 'idempotency_conflict');
  t.equal(code(await send({ script: 'x' }, 'two')), 'one_source_only');
  t.equal((await send({ ...body, script: 'z' }, 'two')).statusCode, 201, 'what failed had no effect');
});

t.test('notify_url: the secret is shown once and stored encrypted', async (t) => {
  const { h } = await withMacs(t, 1);
  const created = (
    await h.call('POST', '/builds', {
      body: { script: 'x', ...repo, notify_url: 'https://hooks.example.com/x' },
    })
  ).json();
  t.match(created.notify, { url: 'https://hooks.example.com/x', secret: /^whsec_[\w-]{40,}$/ });
  t.notOk('notify' in (await show(h, created.id)));
  const row = await h.store.get<{ notify_url: string; notify_secret: Buffer }>(
    'SELECT notify_url, notify_secret FROM builds',
  );
  t.equal(row?.notify_url, 'https://hooks.example.com/x');
  t.notOk(row?.notify_secret.includes(created.notify.secret.slice(6)));
});

t.test('waiting for a build ends with the build, at the timeout, or when the caller disconnects', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  for (const timeout of ['0', '61', 'x', '', '1.5', '-1']) {
    t.equal(code(await h.call('GET', `/builds/${id}/wait?timeout=${timeout}`)), 'invalid_timeout', timeout);
  }
  const waits = [1, 2, 3].map(() => h.call('GET', `/builds/${id}/wait?timeout=60`));
  await new Promise((resolve) => setImmediate(resolve));
  await host.finish(id, { exit_code: 3 });
  for (const answer of await Promise.all(waits)) {
    t.match(answer.json(), { id, status: 'failed', exit_code: 3 });
  }
  t.match((await h.call('GET', `/builds/${id}/wait`)).json(), { status: 'failed' }, 'an ended build is not waited for');
  const still = await submit(h);
  t.match((await h.call('GET', `/builds/${still.id}/wait?timeout=1`)).json(), { status: 'running' }, 'unchanged');
});

t.test('builds that name an Xcode go only to Macs whose host has it', async (t) => {
  const h = await startHarness(t);
  const both = { tier: 'm4', xcodes: ['16.2', '16.1'] };
  const lacking = await startBuildHost(h, { ...both, macs: 1, hostXcodes: ['16.1'] });
  const post = (body: object) => h.call('POST', '/builds', { body: { ...repo, script: 'x', ...body } });
  const alone = await post({ xcode: '16.2' });
  t.equal(code(alone), 'xcode_not_available', 'the tier sells it, and no Mac has it');
  t.same(alone.json().error.options, ['16.1']);
  const complete = await startBuildHost(h, { ...both, macs: 1 });
  const builds = [await submit(h, { xcode: '16.2' }), await submit(h, { xcode: '16.2' })];
  t.same(
    (await show(h, builds[0]?.id ?? '')).rental_public_id,
    complete.rentals[0],
    'not the older Mac, although it is free',
  );
  t.match(await show(h, builds[1]?.id ?? ''), { status: 'queued', wait_reason: 'mac_busy' });
  t.equal(code(await post({ xcode: '16.2', rental_id: lacking.rentals[0] })), 'xcode_not_available');
  const mac = (await h.call('GET', `/rentals/${lacking.rentals[0]}`)).json();
  t.same(mac.setup_options.xcode, ['16.1'], 'a Mac lists what can be selected on it');

  lacking.installed = ['16.1', '16.2'];
  await lacking.connect();
  t.same(
    (await show(h, builds[1]?.id ?? '')).rental_public_id,
    lacking.rentals[0],
    'once it is installed, the waiting build starts there',
  );
});
