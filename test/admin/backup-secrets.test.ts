// What a copy of the database gives away: none of the tokens, keys and secrets that the service has given out, while they are
// valid and after they are gone.
// Runs in: soak
// Requires: sqlite
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rotateKey } from '../../control-plane/admin/key-rotation.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { textOf } from '../access/mail-text.js';
import { startSmtpServer } from '../access/smtp-server.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { putM4 } from '../harness/renting.js';
import { appSecret } from '../harness/totp.js';

const DAY = 24 * 3_600_000;
const OPERATOR = 'o'.repeat(32);

/** Returns the names of the secrets that are in the files of the database, or in a backup of it. */
async function foundIn(
  { store, data }: Harness,
  secrets: Readonly<Record<string, string | Buffer>>,
): Promise<string[]> {
  const backup = join(data, 'backup.db');
  await store.backup(backup);
  const files = readdirSync(data).map((name) => join(data, name));
  const content = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file));
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret.length < 16) throw new Error(`${name} is too short to be searched for`);
    return content.some((bytes) => bytes.includes(secret)) ? [name] : [];
  });
}

t.test('a copy of the database holds no secret in clear, open or gone', async (t) => {
  const smtp = await startSmtpServer(t);
  smtp.mood('busy');
  const h = await startHarness(t, { smtpUrl: smtp.url, operatorToken: OPERATOR });
  const firstOwner = await h.firstOwner.issue();
  const cookie = await h.signIn('owner', { email: 'ada@example.com' });
  const of = (path: string) => `/v1/organizations/${h.org.orgId}${path}`;
  const send = async (method: string, path: string, body?: object) =>
    (
      await h.callConsole(method, of(path), {
        key: null,
        headers: { cookie, 'idempotency-key': `${method} ${path}` },
        ...(body ? { body } : {}),
      })
    ).json();
  const invited = await send('POST', '/invites', { email: 'bob@example.com', role: 'developer' });
  t.equal(invited.mailed, true);
  const { secret: ofTheApp } = (
    await h.callConsole('POST', '/v1/second-factors/totp', { key: null, headers: { cookie } })
  ).json();
  const byOperator = await h.inject({
    method: 'POST',
    url: '/api/operator/v1/user/reset-password',
    headers: { authorization: `Bearer ${OPERATOR}` },
    payload: { email: 'ada@example.com' },
  });
  // The link of an operator and that of a mail are for different people.
  await h.signIn('developer', { email: 'eve@example.com' });
  const body = { email: 'eve@example.com' };
  t.equal((await h.callConsole('POST', '/v1/password-reset/request', { key: null, body })).statusCode, 204);
  await h.call('PUT', '/secrets/TOKEN', { body: { value: 'a secret of builds' } });
  await putM4(h);
  const { token: enrolment } = await h.hosts.createEnrolment({ tier: 'm4', slots: 1 });
  const { credential } = await startBuildHost(h, { macs: 1, tier: 'm4b' });
  const build = await h.call('POST', '/builds', {
    body: { repo: 'o/n', script: 'make', notify_url: 'https://hooks.example.com/n' },
    headers: { 'idempotency-key': 'one-build' },
  });
  const shared = await send('POST', `/builds/${build.json().id}/share`);
  t.type(shared.url, 'string');
  const webhook = await h.call('POST', '/webhooks', {
    headers: { 'idempotency-key': 'one-webhook' },
    body: { url: 'https://hooks.example.com/x', events: ['build.started'] },
  });
  const secrets: Record<string, string | Buffer> = {
    'address for the first owner': firstOwner ?? '',
    'secret of an authenticator app': ofTheApp,
    'the same in bytes': appSecret(ofTheApp),
    'link of an operator for a new password': byOperator.json().reset_url.split('#')[1],
    'token of the invitation': invited.accept_url.split('#')[1],
    session: cookie.split('=')[1] ?? '',
    'key of the harness': h.keys.all,
    'new key': await h.createKey(['read']),
    'secret of builds': 'a secret of builds',
    'enrollment token': enrolment,
    'secret of the webhook': webhook.json().secret,
    'secret of notify_url': build.json().notify.secret,
    'credential of a host': credential,
    'link to a build': new URL(shared.url).pathname.split('/').at(-1) ?? '',
  };
  await h.workers.idle();
  t.match(await h.store.all('SELECT attempts FROM mails'), [{ attempts: 1 }, { attempts: 1 }], 'not taken yet');
  t.same(await foundIn(h, secrets), [], 'while the mails wait');
  t.same(await foundIn(h, { link: 'https://hooks.example.com/x' }), ['link'], 'the search finds what is there');

  const keys = openKeyFile(join(h.data, 'secret.key'));
  for (const turn of [1, 2]) {
    t.match(await rotateKey({ store: h.store, keys, vault: createVault(keys) }), { unreadable: 0 }, `${turn}`);
  }
  smtp.mood('take');
  await h.clock.advance(3_600_000);
  await h.workers.idle();
  const sent = smtp.mails.map(({ data }) => textOf(data)).join('\n');
  t.ok(sent.includes(invited.accept_url), 'with the link');
  const [, mailed = ''] = /\/reset-password#([\w-]{43})/.exec(sent) ?? [];
  secrets['link of a mail for a new password'] = mailed;
  await h.workers.idle();
  const gone = { text: '', sealed: null };
  t.match(await h.store.all('SELECT text, sealed FROM mails'), [gone, gone]);
  t.same(await foundIn(h, secrets), [], 'when they are sent');

  await h.clock.advance(8 * DAY);
  await h.workers.idle();
  t.same(await foundIn(h, secrets), [], 'when they are deleted');
});

t.test('a mail that cannot be decrypted is tried again, and sent when the key is back', async (t) => {
  const smtp = await startSmtpServer(t);
  smtp.mood('busy');
  const h = await startHarness(t, { smtpUrl: smtp.url });
  const cookie = await h.signIn('owner');
  await h.callConsole('POST', `/v1/organizations/${h.org.orgId}/invites`, {
    key: null,
    headers: { cookie },
    body: { email: 'bob@example.com', role: 'developer' },
  });
  await h.workers.idle();
  t.match(await h.store.all('SELECT attempts FROM mails'), [{ attempts: 1 }], 'not taken yet');
  await h.store.run("UPDATE mails SET sealed = X'6b5f00' || randomblob(60)", {});
  smtp.mood('take');
  await h.clock.advance(3_600_000);
  await h.workers.idle();
  t.equal(smtp.mails.length, 0);
  t.match(await h.store.all('SELECT last_error, next_attempt_at FROM mails'), [
    { last_error: /key file/, next_attempt_at: Number },
  ]);
});
