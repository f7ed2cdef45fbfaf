// Runs in: soak
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import t from 'tap';
import { hashKey } from '../../control-plane/access/domain/api-key.js';
import { isSignedReport } from '../../control-plane/access/domain/leak-report.js';
import { startHarness } from '../harness/harness.js';
import { listening } from '../harness/listening.js';
import { startSmtpServer } from './smtp-server.js';

/** A code host that publishes keys for its signatures, as secret scanning does. */
async function startCodeHost(t: Parameters<typeof startHarness>[0]) {
  const mint = () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return { privateKey, key, key_identifier: createHash('sha256').update(key).digest('hex') };
  };
  const keys = [mint()];
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    const public_keys = keys.map(({ key, key_identifier }) => ({ key, key_identifier, is_current: true }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ public_keys }));
  });
  const port = await listening(t, server);
  return {
    url: `http://127.0.0.1:${port}/keys`,
    addKey: () => keys.push(mint()),
    asked: () => asked,
    headers(body: string, which = 0) {
      const key = keys[which];
      if (!key) throw new Error('no such key');
      return {
        'github-public-key-identifier': key.key_identifier,
        'github-public-key-signature': createSign('SHA256').update(body).sign(key.privateKey, 'base64'),
      };
    },
  };
}

t.test('a signed report revokes what is ours and says what it was', async (t) => {
  const host = await startCodeHost(t);
  const { inject, call, callConsole, createKey, keys } = await startHarness(t, { scanningKeysUrl: host.url });
  const leaked = await createKey(['read']);
  const report = (body: string, headers: Record<string, string>) =>
    inject({
      method: 'POST',
      url: '/api/runner/v1/leaked-keys',
      payload: body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const body = JSON.stringify([
    { token: leaked, type: 'cidermill_api_key', url: 'https://example.com/repo', source: 'commit' },
    { token: 'cm_notours', type: 'cidermill_api_key', url: '', source: 'unknown' },
  ]);
  for (const [what, headers, sent] of [
    ['an altered body', host.headers(body), `${body}\n`],
    ['another body’s signature', host.headers('[]'), body],
    ['a signature that is none', { ...host.headers(body), 'github-public-key-signature': 'AAAA' }, body],
    ['an unknown key', { ...host.headers(body), 'github-public-key-identifier': 'f'.repeat(64) }, body],
  ] as const) {
    const refused = await report(sent, headers);
    t.equal(refused.statusCode, 400, what);
    t.same(refused.json().error.details.fields, ['github-public-key-signature']);
  }
  t.equal((await call('GET', '/me', { key: leaked })).statusCode, 200, 'nothing of that has revoked anything');
  const answer = await report(body, host.headers(body));
  t.equal(answer.statusCode, 200);
  t.same(answer.json(), [
    { token_hash: hashKey(leaked), token_type: 'cidermill_api_key', label: 'true_positive' },
    { token_hash: hashKey('cm_notours'), token_type: 'cidermill_api_key', label: 'false_positive' },
  ]);
  t.equal((await call('GET', '/me', { key: leaked })).json().error.code, 'invalid_api_key');
  const again = await report(body, host.headers(body));
  t.same(again.json(), answer.json(), 'a key that was revoked before is ours still');
  t.equal((await callConsole('GET', '/openapi.json', { key: null })).statusCode, 200);
  t.equal((await call('GET', '/me', { key: keys.all })).statusCode, 200, 'other keys are as before');
  for (const broken of ['{}', 'nonsense', '[{"token":1}]']) {
    t.equal((await report(broken, host.headers(broken))).statusCode, 400, broken);
  }
});

t.test('owners and admins are notified, and see where the key was found', async (t) => {
  const host = await startCodeHost(t);
  const smtp = await startSmtpServer(t);
  const h = await startHarness(t, { scanningKeysUrl: host.url, smtpUrl: smtp.url });
  const cookie = await h.signIn('owner');
  await h.signIn('admin');
  await h.signIn('developer');
  const root = `/v1/organizations/${h.org.orgId}`;
  const read = async (path: string) =>
    (await h.callConsole('GET', `${root}${path}`, { key: null, headers: { cookie } })).json().data;
  const made = await h.callConsole('POST', `${root}/api-keys`, {
    key: null,
    headers: { cookie },
    body: { name: 'CI', levels: ['read'] },
  });
  const { key: token, id, prefix, created_by } = made.json();
  t.match(created_by, { user_id: /^user_/, email: `owner-${h.org.id}@example.com` });
  t.equal((await h.callConsole('POST', '/v1/leaked-keys', { key: null, body: { token } })).json().revoked, true);
  const ours = async () => (await read('/api-keys')).find((one: { id: string }) => one.id === id);
  t.match(await ours(), { id, revoked_reason: 'leaked', leaked_url: null, created_by });
  const url = 'https://github.com/owner/name/blob/main/ci.sh#L3';
  const body = JSON.stringify([{ token, type: 'cidermill_api_key', url: `${url}\u202e`, source: 'commit' }]);
  const report = { method: 'POST', url: '/api/runner/v1/leaked-keys', payload: body } as const;
  const headers = { 'content-type': 'application/json', ...host.headers(body) };
  t.equal((await h.inject({ ...report, headers })).json()[0].label, 'true_positive');
  t.equal((await ours()).leaked_url, url, 'a later report says where');
  const subject = `The API key "CI" (${prefix}...) was found in public and has been revoked`;
  t.match(await read('/notices'), [{ kind: 'key_leaked', subject }]);
  await h.workers.idle();
  t.same(smtp.mails.map(({ to }) => to.join()).sort(), [
    `admin-${h.org.id}@example.com`,
    `owner-${h.org.id}@example.com`,
  ]);
  const refused = await h.callConsole('GET', '/v1/files', { key: token });
  t.equal(refused.json().error.code, 'api_key_revoked_leaked');
});

t.test('a new signing key is asked for, but not with every forged report', async (t) => {
  const host = await startCodeHost(t);
  const { inject, clock } = await startHarness(t, { scanningKeysUrl: host.url });
  const report = async (headers: Record<string, string>) =>
    (
      await inject({
        method: 'POST',
        url: '/api/runner/v1/leaked-keys',
        payload: '[]',
        headers: { 'content-type': 'application/json', ...headers },
      })
    ).statusCode;
  t.equal(await report(host.headers('[]')), 200);
  host.addKey();
  for (let i = 0; i < 5; i++) t.equal(await report(host.headers('[]', 1)), 400);
  t.equal(host.asked(), 1);
  await clock.advance(60_000);
  t.equal(await report(host.headers('[]', 1)), 200);
  t.equal(host.asked(), 2);
});

t.test('anybody who has a key may revoke it', async (t) => {
  const { callConsole, call, createKey } = await startHarness(t);
  const key = await createKey(['read', 'build']);
  const report = (body: unknown) => callConsole('POST', '/v1/leaked-keys', { key: null, body });
  t.same((await report({ token: key })).json(), { revoked: true });
  t.same((await report({ token: key })).json(), { revoked: false });
  t.same((await report({ token: 'cm_unknown' })).json(), { revoked: false });
  t.equal((await call('GET', '/me', { key })).json().error.code, 'invalid_api_key');
  for (const body of [{}, [], { token: 7 }, 'x', null]) {
    const { error } = (await report(body)).json();
    t.equal(error.code, 'invalid_request');
    t.notOk(error.details.fields.includes(''), 'no field without a name');
  }
});

t.test('GitHub’s published examples verify, and altered ones do not', async (t) => {
  // From GitHub's documentation of the secret scanning partner program.
  const pem = (base64: string) =>
    `-----BEGIN PUBLIC KEY-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END PUBLIC KEY-----\n`;
  const examples = [
    {
      id: 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c',
      key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAdAjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==',
      body: '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]',
      signature: 'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg==',
    },
    {
      id: '90a421169f0a406205f1563a953312f0be898d3c7b6c06b681aa86a874555f4a',
      key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9MJJHnMfn2+H4xL4YaPDA4RpJqUqkCmRCBnYERxZanmcpzQSXs1X/AljlKkbJ8qpVIW4clayyef9gWhFbNHWAA==',
      body: '[{"token":"some_token","type":"some_type","url":"some_url"}]',
      signature: 'MEUCIQDKZokqnCjrRtw0tni+2Ltvl/uiMJ1EGumEsp1BsNr32AIgQY1YXD2nlj+XNfGK4rBfkMJ1JDOQcYXxa2sY8FNkrKc=',
    },
  ];
  for (const { id, key, body, signature } of examples) {
    t.equal(createHash('sha256').update(pem(key)).digest('hex'), id, 'the identifier is the hash of the PEM');
    t.ok(isSignedReport(pem(key), signature, Buffer.from(body)));
    t.notOk(isSignedReport(pem(key), signature, Buffer.from(`${body}\n`)));
    t.notOk(isSignedReport('no key', signature, Buffer.from(body)));
    t.notOk(isSignedReport(pem(key), 'no signature', Buffer.from(body)));
  }
});
