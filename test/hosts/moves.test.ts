// Orders of operators that hosts use another address of the service.
import t from 'tap';
import { moveOf } from '../../control-plane/hosts/domain/host-move.js';
import { say, uncoded } from '../../shared/messages/message.js';
import { moveError, moveErrors } from '../../shared/messages/move-errors.js';
import { serviceProof } from '../../shared/protocol/index.js';
import { printedBy } from '../harness/admin.js';
import { startHarness } from '../harness/harness.js';
import { startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';
import { startFakeHost } from './fake-host.js';

const URL_NOW = 'https://old.example';
const NEW = 'https://macs.example';

t.test('hosts move that can; the command changes all of them or none', async (t) => {
  const h = await startHarness(t);
  const admin = (...argv: string[]) => printedBy([...argv, '--data', h.data]);
  const hostIds: string[] = [];
  for (const name of ['able', 'old', 'new', 'gone']) {
    const { token } = await h.hosts.createEnrolment({ slots: 1, name });
    hostIds.push((await h.hosts.enrol({ token, hostname: name })).host_id);
  }
  const [able = '', old = '', , gone = ''] = hostIds;
  const connected = `UPDATE hosts SET agent_version = '1.0.0' WHERE host_id IN (:able, :old, :gone)`;
  await h.store.run(connected, { able, old, gone });
  for (const hostId of [able, gone]) await h.hosts.addressReported(hostId, { site_url: URL_NOW, move: null });
  await h.hosts.revoke(gone);
  const wanted = () => Promise.all(hostIds.map(async (id) => (await h.hosts.get(id)).moveTo));

  for (const url of ['macs.example', 'ftp://x', 'https://x/path', 'https://u:p@x', 'https://x/?a', '']) {
    t.match(await admin('host', 'move-to', url, 'able'), { code: 65, err: /must be an address like https/ }, url);
  }
  t.match(await admin('host', 'move-to'), { code: 65, err: /Give the new address/ });
  t.match(await admin('host', 'move-to', NEW), { code: 65, err: /Name the hosts/ });
  t.match(await admin('host', 'move-to', 'http://macs.example', 'able'), { code: 65, err: /not encrypted/ });
  t.match(await admin('host', 'move-to', NEW, 'able', 'old'), { code: 65, err: /old .*upgrade the agent first/ });
  t.match(await admin('host', 'move-to', NEW, 'new'), { code: 65, err: /never connected/ });
  t.match(await admin('host', 'move-to', NEW, 'gone'), { code: 65, err: /removed/ });
  t.same(await wanted(), [null, null, null, null], 'nothing has changed');

  const { code, out } = await admin('host', 'move-to', NEW, '--all');
  t.equal(code, 0);
  t.match(out, /able .*moves to https:\/\/macs\.example/);
  t.match(out, /old .*left out: The agent of the host \(1\.0\.0\) cannot move/);
  t.same(await wanted(), [NEW, null, null, null]);
  t.same(await h.hosts.wantedAddress(able), { site_url: NEW });
  await h.hosts.addressReported(able, { site_url: URL_NOW, move: { to: NEW, error: 'It is dead.' } });
  t.same(moveOf(await h.hosts.get(able)), { to: NEW, error: uncoded('It is dead.') }, 'of an older agent');
  const dead = moveError('no_answer', { url: NEW, seconds: 15 });
  const move = { to: NEW, error: dead.text, error_message: dead };
  await h.hosts.addressReported(able, { site_url: URL_NOW, move });
  t.same(moveOf(await h.hosts.get(able)), { to: NEW, error: dead });
  t.match(say(moveErrors, 'ko', dead), /15초/);
  t.equal((await admin('host', 'move-to', '--cancel', 'able')).code, 0);
  t.same(await wanted(), [null, null, null, null]);

  await admin('host', 'move-to', NEW, 'able');
  await h.hosts.addressReported(able, { site_url: NEW, move: null });
  t.match(await h.hosts.get(able), { moveTo: null, linkAddress: { site_url: NEW } }, 'arrived');
  t.equal(moveOf(await h.hosts.get(able)), null);
  t.match(await admin('host', 'move-to', NEW, 'able'), { code: 0, out: /no change/ });
  await h.hosts.addressReported(able, null);
  t.match(await h.hosts.get(able), { linkAddress: null }, 'an older agent does not report it');
  const actions = await h.store.all<{ action: string }>(`SELECT action FROM audit_log WHERE result = 'ok'`);
  t.equal(actions.filter(({ action }) => action === 'host.move').length, 4);
});

t.test('the desire names the address, and an agent that does not know it is not disturbed', async (t) => {
  const service = await startLinkService(t);
  const { hostId, credential } = await service.enrol();
  const host = await startFakeHost({ siteUrl: service.siteUrl, credential });
  await service.hosts.addressReported(hostId, { site_url: service.siteUrl, move: null });
  await service.hosts.moveAll({ hosts: [hostId] }, 'https://macs.example');
  const orders = () => host.received.flatMap((one) => (one.type === 'desire' ? [one.move_to?.site_url ?? null] : []));
  await until(() => orders().at(-1) === 'https://macs.example', 'the order');
  await host.close();
});

t.test('the service proves that it knows a host, and says nothing about others', async (t) => {
  const service = await startLinkService(t, { limits: { failed_enrolments_per_minute: 3 } });
  const { hostId } = await service.enrol();
  const nonce = 'ab'.repeat(32);
  const ask = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.siteUrl}/link/v1/proof`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const row = await service.store.get<{ hash: string }>('SELECT credential_hash AS hash FROM hosts');
  const proof = serviceProof(row?.hash ?? '', nonce, service.siteUrl);
  t.same(await ask({ host_id: hostId, nonce }), { status: 200, body: { site_url: service.siteUrl, proof } });
  t.equal((await ask({ host_id: hostId, nonce: 'short' })).status, 400);
  await service.hosts.revoke(hostId);
  const refused = { status: 401, body: { error: { code: 'invalid_host_credential' } } };
  t.match(await ask({ host_id: hostId, nonce }), refused, 'a removed host');
  t.match(await ask({ host_id: 'host_none', nonce }), refused);
  t.match(await ask({ host_id: 'host_none', nonce }), refused);
  t.equal((await ask({ host_id: 'host_none', nonce })).status, 429);
});
