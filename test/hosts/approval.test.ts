// Machines that show a code and wait until an operator approves it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { newApprovalCode, parseApprovalCode, sameCode } from '../../control-plane/hosts/domain/approval-code.js';
import { enrolByApproval } from '../../host-agent/daemon/enrolment.js';
import { type LinkService, startLinkService } from '../harness/link-service.js';

const MINUTE = 60_000;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const ask = async (service: LinkService, credential: string, ip = '192.0.2.1', hostname = 'studio') => {
  const answer = await fetch(`${service.siteUrl}/link/v1/approvals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-test-ip': ip },
    body: JSON.stringify({
      credential_hash: hash(credential),
      hostname,
      os: 'macOS 26.1',
      chip: 'Apple M4',
      agent_version: '1.0.0',
    }),
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as { code: string },
  };
};
const state = async (service: LinkService, credential: string, ip = '192.0.2.1') => {
  const headers = { authorization: `Bearer ${credential}`, 'x-test-ip': ip };
  const answer = await fetch(`${service.siteUrl}/link/v1/approvals`, { headers });
  return { status: answer.status, body: (await answer.json()) as { code: string } };
};

t.test('a machine waits with a code until an operator approves it', async (t) => {
  const service = await startLinkService(t, { limits: { approval_poll_ms: 5 } });
  const { hosts } = service;
  const dataDir = join(t.testdir(), 'host');
  let waits: (code: string) => void = () => {};
  const shown = new Promise<string>((resolve) => {
    waits = resolve;
  });
  const options = { dataDir, config: { control_plane: service.siteUrl, allow_unisolated: true } };
  const enrolling = enrolByApproval({
    ...options,
    hostname: 'studio',
    onCode(code, validMs) {
      t.equal(validMs, 10 * MINUTE);
      waits(code);
    },
  });
  const code = await shown;
  t.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  t.match(await hosts.approvals(), [{ code, name: 'studio', ip: '127.0.0.1', chip: /./, os: /./ }]);
  t.notMatch(JSON.stringify(await service.store.all('SELECT * FROM host_approvals')), /cmh_/);

  t.equal(await hosts.findApproval('nonsense'), null);
  t.match(await hosts.findApproval(` ${code.toLowerCase().replace('-', ' ')}`), { code }, 'as people type it');
  await t.rejects(hosts.approveCode('BBBB-BBBB', {}), { code: 'host_not_found' });
  await t.rejects(hosts.approveCode(code, { tier: 'none' }), { code: 'invalid_tier' });
  await t.rejects(hosts.approveCode(code, { slots: 0 }), { code: 'invalid_request' });
  await t.rejects(hosts.approveCode(code, { labels: { 'Bad Key': '1' } }), { code: 'invalid_request' });
  t.equal((await hosts.approvals()).length, 1, 'it still waits');

  const twice = await Promise.allSettled([1, 2].map(() => hosts.approveCode(code, { tier: 'local', slots: 3 })));
  t.same(twice.map((one) => one.status).sort(), ['fulfilled', 'rejected'], 'approved once');
  const host = await enrolling;
  t.match(await hosts.get(host.host_id), { name: 'studio', tier: 'local', status: 'active' });
  t.equal((await hosts.slots(host.host_id)).length, 3);
  t.equal((await hosts.authenticate(host.credential))?.hostId, host.host_id);
  t.same(JSON.parse(readFileSync(join(dataDir, 'credential.json'), 'utf8')), host);
  t.notOk(existsSync(join(dataDir, 'enrolment.json')));
  t.same(await hosts.approvals(), []);
});

t.test('the code alone is worth nothing', async (t) => {
  const service = await startLinkService(t);
  const { body } = await ask(service, 'cmh_secret');
  for (const guess of [body.code, hash('cmh_secret'), 'cmh_other']) {
    t.match(await state(service, guess), {
      status: 401,
      body: { error: { code: 'invalid_enrolment_token' } },
    });
  }
  t.same(await state(service, 'cmh_secret'), { status: 200, body: { host: null } });
  const { hostId } = await service.hosts.approveCode(body.code, {});
  t.equal((await state(service, body.code)).status, 401);
  t.same(await state(service, 'cmh_secret'), {
    status: 200,
    body: { host: { host_id: hostId, name: 'studio' } },
  });
  t.match(await service.hosts.get(hostId), { status: 'pending', enrolledSlots: 2 }, 'without a tier');
  t.same(
    service.audited.map(({ actorKind, action, ip, target }) => ({ actorKind, action, ip, target })),
    Array(4).fill({ actorKind: 'anonymous', action: 'host.join', ip: '192.0.2.1', target: null }),
  );
});

t.test('a machine that asks again gets the same code, and a new one after ten minutes', async (t) => {
  const service = await startLinkService(t);
  const first = await ask(service, 'cmh_a');
  t.match(first, { status: 201, body: { expires_in_ms: 10 * MINUTE, poll_ms: 3000 } });
  await service.clock.advance(9 * MINUTE);
  t.match((await ask(service, 'cmh_a')).body, { code: first.body.code, expires_in_ms: MINUTE });
  await service.clock.advance(MINUTE);
  t.equal((await state(service, 'cmh_a')).status, 401, 'expired');
  await t.rejects(service.hosts.approveCode(first.body.code, {}), { code: 'host_not_found' });
  const second = await ask(service, 'cmh_a');
  t.equal(second.status, 201);
  t.not(second.body.code, first.body.code);
});

t.test('an agent whose code expires prints that, and gets a new one', async (t) => {
  const service = await startLinkService(t, { limits: { approval_poll_ms: 5 } });
  const dataDir = join(t.testdir(), 'host');
  const codes: string[] = [];
  const wait = (signal?: AbortSignal) =>
    enrolByApproval({
      dataDir,
      config: { control_plane: service.siteUrl },
      onCode: (code) => codes.push(code),
      ...(signal ? { signal } : {}),
    });
  const stop = new AbortController();
  const stopped = wait(stop.signal);
  while (codes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await t.rejects(stopped, { name: 'AbortError' });
  const resumed = wait();
  while (codes.length === 1) await new Promise((resolve) => setImmediate(resolve));
  t.equal(codes[1], codes[0], 'a stopped command shows the same code when it is repeated');
  await service.clock.advance(10 * MINUTE);
  await t.rejects(resumed, /401 invalid_enrolment_token: The code has expired/);
  t.notOk(existsSync(join(dataDir, 'enrolment.json')));
  t.notOk(existsSync(join(dataDir, 'credential.json')));
});

t.test('strangers cannot fill the list of waiting machines, or guess for long', async (t) => {
  const limits = { approvals: 8, approvals_per_address: 5, failed_enrolments_per_minute: 4 };
  const service = await startLinkService(t, { limits });
  const from = async (ip: string, n: number) => {
    const statuses = [];
    for (let i = 0; i < n; i++) statuses.push((await ask(service, `cmh_${ip}_${i}`, ip)).status);
    return statuses;
  };
  t.same(await from('198.51.100.1', 6), [201, 201, 201, 201, 201, 429], 'per address');
  t.same(await from('198.51.100.2', 4), [201, 201, 201, 429], 'in all');
  t.match(await ask(service, 'cmh_x', '198.51.100.3'), {
    retryAfter: '60',
    body: { error: { code: 'rate_limited' } },
  });
  t.equal((await ask(service, 'cmh_198.51.100.1_0', '198.51.100.1')).status, 201, 'those that wait are not affected');
  await service.clock.advance(10 * MINUTE);
  t.same(await from('198.51.100.3', 2), [201, 201], 'expired ones do not count');

  const guesses = [];
  for (let i = 0; i < 6; i++) guesses.push((await state(service, `cmh_guess${i}`, '203.0.113.9')).status);
  t.same(guesses, [401, 401, 401, 401, 429, 429]);
  t.equal((await state(service, 'cmh_198.51.100.3_0', '198.51.100.3')).status, 200);
});

t.test('one address cannot use up the requests for approval of all', async (t) => {
  const service = await startLinkService(t, { limits: { approvals_per_minute: 15 } });
  const statuses = [];
  for (let i = 0; i < 20; i++) statuses.push((await ask(service, 'cmh_same', '198.51.100.1')).status);
  t.same(statuses, [...Array(3).fill(201), ...Array(17).fill(429)]);
  t.equal((await ask(service, 'cmh_other', '198.51.100.2')).status, 201);
});

t.test('requests for approval have a limit per minute in all', async (t) => {
  const service = await startLinkService(t, { limits: { approvals_per_minute: 3 } });
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await ask(service, 'cmh_same', `192.0.2.${i}`)).status);
  t.same(statuses, [201, 201, 201, 429, 429]);
  const invalid = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"code":"x"}' };
  t.equal((await fetch(`${service.siteUrl}/link/v1/approvals`, invalid)).status, 400);
  t.equal((await fetch(`${service.siteUrl}/link/v1/approvals`)).status, 401);
});

t.test('codes are random, and hostile names are made harmless', async (t) => {
  const codes = new Set(Array.from({ length: 500 }, newApprovalCode));
  t.equal(codes.size, 500);
  for (const code of codes) if (parseApprovalCode(code) !== code) t.fail(code);
  for (const bad of ['', 'BCDF', 'BCDF-GHJKL', 'AAAA-AAAA', 'host_7k2m9x0c4v8d3f6g', '../../etc']) {
    t.equal(parseApprovalCode(bad), null, bad);
  }
  t.ok(sameCode('BCDF-GHJK', 'BCDF-GHJK'));
  t.notOk(sameCode('BCDF-GHJK', 'BCDF-GHJL'));
  t.notOk(sameCode('BCDF-GHJK', 'BCDF'));
  const service = await startLinkService(t);
  await ask(service, 'cmh_a', '192.0.2.1', 'stu\u001b[2Jdio\u202e\nAPPROVED');
  const [one] = await service.hosts.approvals();
  t.match(one?.name, /^[\x20-\x7e]+$/);
});
