// How the first person gets into an empty service, and that nobody else can.
// Runs in: soak
import { pino } from 'pino';
import t from 'tap';
import { isTokenForm } from '../../control-plane/access/domain/session.js';
import { createControlPlane } from '../../control-plane/index.js';
import { type Harness, startHarness } from '../harness/harness.js';

const DAY = 24 * 3_600_000;
const ada = {
  email: 'ada@example.com',
  password: 'correct horse battery',
  name: 'Ada',
  organization: 'Mill & Co',
};

const claim = (h: Harness, token: string | null, more: object = {}) =>
  h.callConsole('POST', '/v1/first-owner', { key: null, body: { ...ada, token, ...more } });

t.test('with the token the first owner is made, once', async (t) => {
  const h = await startHarness(t);
  const token = await h.firstOwner.issue();
  if (token === null) return t.fail('no token');
  t.ok(isTokenForm(token));
  const state = async () => (await h.callConsole('GET', '/v1/first-owner', { key: null })).json();
  t.same(await state(), { missing: true, password_chars_min: 12 });
  t.notMatch(JSON.stringify(await h.store.all('SELECT * FROM meta')), token, 'hashed at rest');

  for (const wrong of ['', 'x', `${token}x`, token.toLowerCase()]) {
    t.equal((await claim(h, wrong)).json().error.code, 'forbidden', wrong);
  }
  for (const [more, field] of [
    [{ email: 'nobody' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ organization: ' ' }, 'organization'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'Ada\u202e' }, 'name'],
  ] as const) {
    t.match((await claim(h, token, more)).json().error, {
      code: 'invalid_request',
      details: { fields: [field] },
    });
  }
  const both = await Promise.all([claim(h, token), claim(h, token, { email: 'eve@example.com' })]);
  t.same(both.map(({ statusCode }) => statusCode).sort(), [201, 403], 'two at once: one of them');
  const [made] = both.filter(({ statusCode }) => statusCode === 201);
  t.match(made?.json(), { user: { operator: true }, organizations: [{ name: 'Mill & Co', role: 'owner' }] });
  const cookie = String(made?.headers['set-cookie']).split(';', 1)[0] ?? '';
  const session = await h.callConsole('GET', '/v1/session', { key: null, headers: { cookie } });
  t.equal(session.statusCode, 200, 'and is signed in');
  t.equal((await claim(h, token)).json().error.code, 'forbidden');
  t.equal(await h.firstOwner.issue(), null, 'there is no other');
});

t.test('the token ends with time, with a new one, and as soon as there is a person', async (t) => {
  const h = await startHarness(t);
  const first = await h.firstOwner.issue();
  const second = await h.firstOwner.issue();
  t.not(first, second);
  t.equal((await claim(h, first)).json().error.code, 'forbidden', 'each start replaces it');
  await h.clock.advance(DAY);
  t.equal((await claim(h, second)).json().error.code, 'forbidden', 'a day later');
  const third = await h.firstOwner.issue();
  await h.users.create({ email: 'bob@example.com', password: 'correct horse battery' });
  t.equal((await claim(h, third)).json().error.code, 'forbidden', 'somebody came in by the command line');
  t.equal(await h.firstOwner.issue(), null);
});

t.test('the service says where to go at each start, until there is somebody', async (t) => {
  const env = { CIDERMILL_DATA: t.testdir(), CIDERMILL_PORT: '0', CIDERMILL_FIRST_OWNER_MS: '3600000' };
  const log = pino({ level: 'silent' });
  const urls: (string | null)[] = [];
  for (let n = 0; n < 3; n++) {
    const service = await createControlPlane({ env, log });
    urls.push(service.firstOwnerUrl);
    t.equal(service.firstOwnerMs, 3_600_000, 'and for how long, as configured');
    if (n === 1) {
      const token = service.firstOwnerUrl?.split('#')[1];
      const made = await fetch(`${service.runnerUrl}/v1/first-owner`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...ada, token }),
      });
      t.equal(made.status, 201);
    }
    await service.stop();
  }
  t.match(urls[0], /^http:\/\/127\.0\.0\.1:\d+\/first-owner#[\w-]{43}$/);
  t.not(urls[0], urls[1]);
  t.equal(urls[2], null);
});
