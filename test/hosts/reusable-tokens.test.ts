// Tokens that enroll several hosts, and machines that repeat a request because its answer was lost.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { enrolHost } from '../../host-agent/daemon/enrolment.js';
import { startLinkService } from '../harness/link-service.js';
import { listening } from '../harness/listening.js';
import { enrolFakeHost } from './fake-host.js';

const HOUR = 3_600_000;

t.test('a reusable token enrolls exactly as many hosts as it permits, however many ask at once', async (t) => {
  const service = await startLinkService(t, { limits: { failed_enrolments_per_minute: 100 } });
  const until = service.clock.now() + HOUR;
  const made = await service.hosts.createEnrolment({
    tier: 'local',
    slots: 2,
    labels: { rack: '3' },
    reusable: { uses: 5, until },
  });
  t.match(made, { uses: 5, expires_at: new Date(until).toISOString(), id: /^enr_/ });
  const attempts = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => enrolFakeHost(service.siteUrl, made.token, `mac-${i}`)),
  );
  const enrolled = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  t.equal(enrolled.length, 5);
  for (const one of attempts) {
    if (one.status === 'rejected') t.match(one.reason.message, /401.*used up \(5 of 5\)/);
  }
  for (const { host_id } of enrolled) {
    t.match(await service.hosts.get(host_id), { status: 'active', tier: 'local', labels: { rack: '3' } });
    t.equal((await service.hosts.slots(host_id)).length, 2);
  }
  t.match(await service.hosts.enrolmentTokens(), [{ enrolmentId: made.id, used: 5, uses: 5 }]);
  const joined = service.audited.filter(({ action, target }) => action === 'host.join' && target !== null);
  t.same(joined.map(({ target }) => target).sort(), enrolled.map(({ host_id }) => host_id).sort());
  t.equal(service.audited.filter(({ target }) => target === null).length, 25, 'failures are audited');
  const stored = JSON.stringify(await service.store.all('SELECT * FROM enrolment_tokens'));
  t.notMatch(stored, made.token);
});

t.test('a reusable token expires, and can be revoked', async (t) => {
  const service = await startLinkService(t);
  const { hosts, clock } = service;
  const reusable = { uses: 10, until: clock.now() + 2 * HOUR };
  const [first, second] = [
    await hosts.createEnrolment({ slots: 1, reusable }),
    await hosts.createEnrolment({ slots: 1, reusable }),
  ];
  const { host_id } = await enrolFakeHost(service.siteUrl, first.token, 'mac-1');
  t.match(await hosts.revokeEnrolment(first.id), { used: 1, revokedAt: clock.now() });
  await t.rejects(enrolFakeHost(service.siteUrl, first.token, 'mac-2'), /401.*was revoked/);
  t.match(await hosts.get(host_id), { status: 'pending' }, 'its hosts stay');
  await t.rejects(hosts.revokeEnrolment('enr_none'), { code: 'not_found' });
  await clock.advance(HOUR);
  await enrolFakeHost(service.siteUrl, second.token, 'mac-3');
  await clock.advance(HOUR);
  await t.rejects(enrolFakeHost(service.siteUrl, second.token, 'mac-4'), /401.*expired at 2026-01-01T02:00/);
  t.same(await hosts.enrolmentTokens(), []);
});

t.test('uses and validity of a reusable token have limits', async (t) => {
  const { hosts, clock } = await startLinkService(t);
  const now = clock.now();
  for (const [uses, until] of [
    ...([0, -1, 1.5, 1001] as const).map((uses) => [uses, now + HOUR] as const),
    ...[now, now - 1, now + 30 * 24 * HOUR + 1, Number.NaN].map((until) => [3, until] as const),
  ]) {
    const made = hosts.createEnrolment({ slots: 1, reusable: { uses, until } });
    await t.rejects(made, { code: 'invalid_request' }, `${uses} uses until ${until}`);
  }
  await t.rejects(hosts.createEnrolment({ slots: 1, labels: { 'Bad Key': 'x' } }), {
    code: 'invalid_request',
  });
});

/** Passes requests on, and loses the answers of the first `lost`. */
async function startLossyFront(t: Test, siteUrl: string, lost: number): Promise<string> {
  let left = lost;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(siteUrl + request.url, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
      });
      const body = await answer.text();
      if (left-- > 0) return void response.destroy();
      response.writeHead(answer.status, headers).end(body);
    });
  });
  const port = await listening(t, server);
  return `http://127.0.0.1:${port}`;
}

t.test('a machine whose answers were lost repeats the command: one host, one use', async (t) => {
  const service = await startLinkService(t);
  const control_plane = await startLossyFront(t, service.siteUrl, 2);
  const reusable = { uses: 2, until: service.clock.now() + HOUR };
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1, reusable });
  const dataDir = join(t.testdir(), 'host');
  const config = { control_plane, allow_unisolated: true };
  const enrol = (more = {}) => enrolHost({ dataDir, token, config, ...more });
  await t.rejects(enrol(), { code: 'ECONNRESET' });
  await t.rejects(enrol(), { code: 'ECONNRESET' });
  t.notOk(existsSync(join(dataDir, 'credential.json')));
  const host = await enrol();
  t.match(await service.hosts.list(), [{ hostId: host.host_id }], 'one host');
  t.match(await service.hosts.enrolmentTokens(), [{ used: 1 }]);
  t.equal((await service.hosts.authenticate(host.credential))?.hostId, host.host_id);
  t.same(JSON.parse(readFileSync(join(dataDir, 'credential.json'), 'utf8')), host);
  t.notOk(existsSync(join(dataDir, 'enrolment.json')), 'the key of the enrolment is gone');
  await t.rejects(enrol(), { name: 'AlreadyEnrolledError' });
  const again = await enrol({ replace: true });
  t.not(again.host_id, host.host_id, 'after that, it makes another host only when it is told to');
  await t.rejects(enrol({ replace: true }), /used up/);
  t.notOk(existsSync(join(dataDir, 'enrolment.json')));
});

t.test('the credential of a removed host never enrolls again', async (t) => {
  const service = await startLinkService(t);
  const { hosts } = service;
  const { token } = await hosts.createEnrolment({
    slots: 1,
    reusable: { uses: 3, until: service.clock.now() + HOUR },
  });
  const credential_hash = 'a'.repeat(64);
  const { host_id, credential } = await hosts.enrol({ token, hostname: 'mac', credential_hash });
  t.equal(credential, null, 'the agent has it');
  await hosts.revoke(host_id);
  await t.rejects(hosts.enrol({ token, hostname: 'mac', credential_hash }), {
    code: 'invalid_enrolment_token',
    message: /removed/,
  });
  t.match(await hosts.enrolmentTokens(), [{ used: 1 }], 'which uses nothing');
});

t.test('wrong tokens are refused for a while after too many from an address', async (t) => {
  const service = await startLinkService(t, { limits: { failed_enrolments_per_minute: 3 } });
  const { token } = await service.hosts.createEnrolment({ slots: 1 });
  const post = async (given: string, ip: string) =>
    (
      await fetch(`${service.siteUrl}/link/v1/enrol`, {
        method: 'POST',
        body: JSON.stringify({ token: given, hostname: 'x' }),
        headers: { 'content-type': 'application/json', 'x-test-ip': ip },
      })
    ).status;
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push(await post('cme_wrong', `2001:db8::${i + 1}`));
  t.same(statuses, [401, 401, 401, 429, 429], 'addresses of a /64 count together');
  t.equal(await post(token, '2001:db8:1::1'), 201, 'others are not affected');
  await service.clock.advance(60_000);
  t.equal(await post('cme_wrong', '2001:db8::9'), 401);
});
