// Statuses of commits, written to code hosts that a test plays over HTTP.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import t, { type Test } from 'tap';
import type { Build } from '../../control-plane/builds/domain/build.js';
import type { StatusApi } from '../../control-plane/events/code-hosts/open.js';
import { describeState, statusRepository } from '../../control-plane/events/domain/commit-status.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { listening } from '../harness/listening.js';
import { HOUR, show, submit } from '../harness/submitting.js';

const commit = 'a'.repeat(40);
const TOKEN = 'ghp_very-secret';

interface Call {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, string>;
}

interface CodeHost {
  url: string;
  calls: Call[];
  answer: () => { status: number; headers?: Record<string, string>; body?: string };
}

async function startCodeHost(t: Test): Promise<CodeHost> {
  const host: CodeHost = { url: '', calls: [], answer: () => ({ status: 201, body: '{"id":1}' }) };
  const server = createServer(async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    host.calls.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
    const { status, headers, body } = host.answer();
    reply.writeHead(status, headers).end(body);
  });
  const port = await listening(t, server);
  host.url = `http://127.0.0.1:${port}`;
  return host;
}

async function service(t: Test, kind: StatusApi['kind'], path: string, secret = 'GITHUB_STATUS_TOKEN') {
  const codeHost = await startCodeHost(t);
  const h = await startHarness(t, { statusApi: { kind, url: codeHost.url + path } });
  await h.call('PUT', `/secrets/${secret}`, { body: { value: TOKEN } });
  const host = await startBuildHost(h, { macs: 1 });
  return { h, host, codeHost };
}

const errorsOf = async (h: Harness) => (await h.call('GET', '/errors?kind=build')).json().errors;
const states = (codeHost: CodeHost) => codeHost.calls.map(({ body }) => body.state);

t.test('GitHub: pending when the build is accepted, then how it ended', async (t) => {
  const { h, host, codeHost } = await service(t, 'github', '/api/v3');
  const run = async (result: object | 'cancel') => {
    codeHost.calls.length = 0;
    const { id } = await submit(h, { commit: commit.toUpperCase() });
    await host.start();
    if (result === 'cancel') {
      await h.call('POST', `/builds/${id}/cancel`);
      await host.finish(id, { outcome: 'stopped', stop_reason: 'cancelled_by_user', exit_code: null });
    } else await host.finish(id, result);
    return id;
  };
  const id = await run({});
  t.same(states(codeHost), ['pending', 'success']);
  t.match(codeHost.calls[1], {
    path: `/api/v3/repos/apple/swift/statuses/${commit}`,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    body: {
      state: 'success',
      context: 'cidermill',
      target_url: `http://cidermill.test/builds/${id}`,
      description: 'Mac 1: The build succeeded.',
    },
  });
  t.same((await show(h, id)).commit_status, { state: 'success', error: null, error_message: null });
  await run({ exit_code: 1, summary: `${'é'.repeat(300)}` });
  t.same(states(codeHost), ['pending', 'failure']);
  t.ok((codeHost.calls[1]?.body.description?.length ?? 999) <= 140);
  await run({ exit_code: null, outcome: 'failed', fault: 'platform', reason_code: 'internal_error' });
  t.same(states(codeHost), ['pending', 'error'], 'a failure of the platform is no verdict on the commit');
  await run('cancel');
  t.same(states(codeHost), ['pending', 'error']);
  t.same(
    (await errorsOf(h)).filter((error: { code: string }) => error.code === 'commit_status_failed'),
    [],
  );
});

t.test('a repository that was renamed is found, and the token goes to no other host', async (t) => {
  const { h, codeHost } = await service(t, 'github', '');
  const other = await startCodeHost(t);
  const moved = `/repositories/7/statuses/${commit}`;
  let location = moved;
  codeHost.answer = () =>
    codeHost.calls.at(-1)?.path === moved && location === moved
      ? { status: 201 }
      : { status: 307, headers: { location } };
  const first = await submit(h, { commit });
  t.same((await show(h, first.id)).commit_status, { state: 'pending', error: null, error_message: null });
  t.same(
    codeHost.calls.map(({ path }) => path),
    [`/repos/apple/swift/statuses/${commit}`, moved],
  );
  t.same(codeHost.calls[1]?.body, codeHost.calls[0]?.body, 'the same request again');
  location = `${other.url}${moved}`;
  const second = await submit(h, { commit });
  t.match((await show(h, second.id)).commit_status, { state: null, error: 'GitHub answered 307' });
  t.same(other.calls, []);
  location = '/for/ever';
  const count = codeHost.calls.length;
  const third = await submit(h, { commit });
  t.match((await show(h, third.id)).commit_status, { error: 'GitHub answered 307' });
  t.equal(codeHost.calls.length, count + 3, 'a circle ends');
});

t.test('GitLab has states, an address and a token of its own', async (t) => {
  const { h, host, codeHost } = await service(t, 'gitlab', '/api/v4', 'GITLAB_STATUS_TOKEN');
  for (const [result, state] of [
    [{}, 'success'],
    [{ exit_code: 1 }, 'failed'],
  ] as const) {
    codeHost.calls.length = 0;
    const { id } = await submit(h, { commit });
    await host.start();
    await host.finish(id, result);
    t.same(states(codeHost), ['pending', state]);
    t.match(codeHost.calls[1], {
      path: `/api/v4/projects/apple%2Fswift/statuses/${commit}`,
      headers: { 'private-token': TOKEN },
      body: { name: 'cidermill', target_url: `http://cidermill.test/builds/${id}` },
    });
  }
  codeHost.answer = () => ({
    status: 400,
    body: '{"message":"Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition)"}',
  });
  const again = await submit(h, { commit });
  t.same(
    (await show(h, again.id)).commit_status,
    { state: 'pending', error: null, error_message: null },
    'it has that state already',
  );
});

t.test('nothing is written without a token, a whole commit, or a repository on the code host', async (t) => {
  const { h, codeHost } = await service(t, 'github', '');
  const wait = { queue_until_rental: true };
  await submit(h, { ...wait });
  await submit(h, { ...wait, commit: 'abcdef1' });
  await submit(h, { ...wait, commit, repo_url: 'https://gitlab.com/apple/swift' });
  await h.call('DELETE', '/secrets/GITHUB_STATUS_TOKEN');
  const { id } = await submit(h, { ...wait, commit });
  t.same(codeHost.calls, []);
  t.equal((await show(h, id)).commit_status, null);
  await h.call('PUT', '/secrets/GITHUB_STATUS_TOKEN', { body: { value: TOKEN } });
  await submit(h, { ...wait, commit, repo_url: 'https://github.com/apple/swift.git' });
  t.match(codeHost.calls, [{ path: `/repos/apple/swift/statuses/${commit}` }], 'by its address too');
});

t.test('a build of a branch or an abbreviated commit has a status from its checkout on', async (t) => {
  const { h, host, codeHost } = await service(t, 'github', '');
  const checkedOut = 'b'.repeat(40);
  const paths = () => codeHost.calls.map(({ path, body }) => `${path.slice(-40)} ${body.state}`);
  for (const asked of [{ ref: 'main' }, { pr: 7 }, { commit: checkedOut.slice(0, 7) }]) {
    codeHost.calls.length = 0;
    const { id } = await submit(h, asked);
    await host.start();
    t.same(codeHost.calls, [], 'its commit is not known yet');
    await host.facts({ build_id: id, commit_sha: checkedOut });
    t.same(paths(), [`${checkedOut} pending`], 'while it runs');
    await host.facts({ build_id: id, commit_sha: checkedOut });
    await host.finish(id, { commit_sha: checkedOut });
    t.same(paths(), [`${checkedOut} pending`, `${checkedOut} success`]);
  }
  codeHost.calls.length = 0;
  const quick = await submit(h, { ref: 'main' });
  await host.start();
  await host.finish(quick.id, { commit_sha: checkedOut });
  t.same(paths(), [`${checkedOut} pending`, `${checkedOut} success`], 'the host reported nothing before the end');

  codeHost.calls.length = 0;
  const long = await submit(h, { ref: 'main' });
  await host.start();
  await host.facts({ build_id: long.id, commit_sha: 'c'.repeat(64) });
  await host.finish(long.id);
  t.same(codeHost.calls, [], 'no code host takes statuses for ids of 64 digits');
  t.equal((await show(h, long.id)).commit_sha, 'c'.repeat(64));

  codeHost.calls.length = 0;
  const failed = await submit(h, { ref: 'main' });
  await host.start();
  await host.finish(failed.id, { outcome: 'failed', step: 'source', exit_code: null, fault: 'customer' });
  t.same(codeHost.calls, [], 'it ended before its checkout');
  t.equal((await show(h, failed.id)).commit_sha, null);
});

t.test('a code host in trouble is asked again; a refusal is shown, listed, and changes no build', async (t) => {
  const { h, host, codeHost } = await service(t, 'github', '');
  codeHost.answer = () => ({ status: 502, body: '<html>' });
  const { id } = await submit(h, { commit });
  await host.start();
  t.same((await show(h, id)).commit_status, {
    state: null,
    error: 'GitHub answered 502',
    error_message: {
      code: 'code_host_answered',
      params: { name: 'GitHub', status: 502 },
      text: 'GitHub answered 502',
    },
  });
  const passes = async (ms: number) => {
    await h.pass(ms);
  };
  await passes(9_999);
  t.equal(codeHost.calls.length, 1);
  codeHost.answer = () => ({
    status: 403,
    headers: { 'retry-after': '60' },
    body: '{"message":"rate limit"}',
  });
  await passes(1);
  t.equal(codeHost.calls.length, 2, 'after 10 s');
  await passes(59_999);
  t.equal(codeHost.calls.length, 2, 'a rate limit says how long to wait');
  codeHost.answer = () => ({ status: 201 });
  await passes(1);
  t.same((await show(h, id)).commit_status, { state: 'pending', error: null, error_message: null });

  codeHost.answer = () => ({ status: 403, body: `{"message":"Resource not accessible by ${TOKEN}"}` });
  await host.finish(id);
  const ended = await show(h, id);
  t.match(ended, {
    status: 'succeeded',
    commit_status: {
      state: 'pending',
      error: 'GitHub answered 403: Resource not accessible by ***',
      error_message: {
        code: 'code_host_refused',
        params: { name: 'GitHub', status: 403, reason: 'Resource not accessible by ***' },
      },
    },
  });
  const kept = await h.store.get('SELECT * FROM builds WHERE build_id = :id', { id });
  t.notMatch(JSON.stringify(kept), TOKEN, 'the token is in no value of the message');
  const older = "UPDATE builds SET commit_state_error = 'GitHub said no', commit_state_message = NULL";
  await h.store.transaction((tx) => tx.run(older));
  t.match((await show(h, id)).commit_status, {
    error: 'GitHub said no',
    error_message: { code: null, params: {}, text: 'GitHub said no' },
  });
  t.match(await errorsOf(h), [
    {
      kind: 'build',
      code: 'commit_status_failed',
      fault: 'customer',
      build_id: id,
      message: /success.*403/,
    },
  ]);
  const count = codeHost.calls.length;
  await passes(HOUR);
  t.equal(codeHost.calls.length, count, 'it is not asked again');
});

t.test('a code host that never answers is given up after six attempts', async (t) => {
  const h = await startHarness(t, { statusApi: { kind: 'github', url: 'http://127.0.0.1:1' } });
  await h.call('PUT', '/secrets/GITHUB_STATUS_TOKEN', { body: { value: TOKEN } });
  const { id } = await submit(h, { commit, queue_until_rental: true });
  for (const gap of [10, 30, 120, 600, 1800]) {
    t.same(await errorsOf(h), []);
    await h.pass(gap * 1000);
  }
  t.match(await errorsOf(h), [{ code: 'commit_status_failed', fault: 'unknown', build_id: id }]);
  t.match(await show(h, id), { status: 'queued', commit_status: { state: null, error: /ECONNREFUSED/ } });
});

t.test('which repository, and in which words', async (t) => {
  const hosts = { default: 'https://git.example' };
  const at = (repoUrl: string) => statusRepository({ repo: null, repoUrl, commit, commitSha: null }, hosts);
  t.equal(at('https://git.example/group/sub/app.git'), 'group/sub/app');
  t.equal(at('https://git.example/a/b/'), 'a/b');
  t.equal(at('https://git.example.evil.com/a/b'), null);
  t.equal(at('https://github.com/a/b'), null, 'a token is for one host');
  t.equal(statusRepository({ repo: 'a/b', repoUrl: null, commit: null, commitSha: null }, hosts), null);
  const build = { endReason: 'queue_timeout', failure: null, exitCode: null } as const;
  t.equal(describeState('error', build, null), 'The build did not finish: queue timeout.');
  t.equal(describeState('error', build, 'Release'), 'Release: The build did not finish: queue timeout.');
  const failure = { summary: 'x'.repeat(600) } as Build['failure'];
  const described = describeState('failure', { ...build, failure }, '🦊'.repeat(40));
  t.ok(described.startsWith(`${'🦊'.repeat(40)}: xxx`), 'the whole name');
  t.equal(described.length, 140, 'a long cause is cut');
});
