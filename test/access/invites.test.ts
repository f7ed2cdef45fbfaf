// Invitations: who gets one, who can accept it, and what nobody can do with it.
// Runs in: soak
import t from 'tap';
import { hashToken } from '../../control-plane/access/domain/session.js';
import { asPerson, cookieOf, outcome } from '../harness/answer.js';
import { type Harness, PASSWORD, startHarness } from '../harness/harness.js';
import { brief, entriesOf } from './audit-entries.js';
import { startSmtpServer } from './smtp-server.js';

const DAY = 24 * 3_600_000;

const accept = (h: Harness, body: object, cookie?: string) =>
  h.callConsole('POST', '/v1/invites/accept', { key: null, body, ...(cookie ? { headers: { cookie } } : {}) });

async function start(t: Parameters<typeof startHarness>[0], options: Parameters<typeof startHarness>[1] = {}) {
  const limits = { session_idle_ms: 30 * DAY, ...options.limits };
  const h = await startHarness(t, { ...options, limits });
  const owner = asPerson(h, await h.signIn('owner'));
  const path = `/v1/organizations/${h.org.orgId}/invites`;
  // Workspaces are listed by age.
  await h.clock.advance(1);
  const invite = (body: object, as = owner) => as('POST', path, body);
  /** Returns the token of a new invitation. */
  const tokenFor = async (email: string, role = 'developer'): Promise<string> =>
    (await invite({ email, role })).json().accept_url.split('#')[1];
  return { h, owner, path, invite, tokenFor };
}

t.test('a new person accepts with a name and a password, once, and sees the workspaces that were named', async (t) => {
  const { h, owner, path, invite } = await start(t);
  const second = (await owner('POST', path.replace('invites', 'workspaces'), { name: 'iOS' })).json().id;
  const made = await invite({ email: ' Bob@Example.com', role: 'developer', workspace_ids: [second] });
  t.equal(made.statusCode, 201);
  const { accept_url, mailed, ...shown } = made.json();
  t.equal(mailed, false, 'without a mail server');
  t.match(shown, {
    id: /^inv_/,
    email: 'bob@example.com',
    role: 'developer',
    workspace_ids: [second],
    invited_by: /^user_/,
    invited_by_email: `owner-${h.org.id}@example.com`,
    expires_at: new Date(h.clock.now() + 7 * DAY).toISOString(),
  });
  const [, token = ''] = /^http:\/\/cidermill\.test\/invite#([\w-]{43})$/.exec(accept_url) ?? [];
  t.same((await owner('GET', path)).json(), { data: [shown] }, 'the address is shown once');
  t.notMatch(JSON.stringify(await h.store.all('SELECT * FROM invites')), token, 'stored as a hash');
  t.match(await h.store.all('SELECT token_hash FROM invites'), [{ token_hash: hashToken(token) }]);

  const looked = await h.callConsole('POST', '/v1/invites/lookup', { key: null, body: { token } });
  t.match(looked.json(), {
    organization: { name: 'Apple Press', slug: 'apple-press' },
    email: 'bob@example.com',
    role: 'developer',
    invited_by: `owner-${h.org.id}@example.com`,
    known: false,
  });
  for (const [body, fields] of [
    [{ token }, ['password']],
    [{ token, password: PASSWORD }, ['name']],
    [{ token, password: 'too short', name: 'Bob' }, ['password']],
    [{ token, password: PASSWORD, name: 'B\u0000b' }, ['name']],
    [{ token, password: PASSWORD, name: '\u202enimda' }, ['name']],
    [{ token, password: PASSWORD, name: '\u200b' }, ['name']],
  ] as const) {
    t.match((await accept(h, body)).json().error, { code: 'invalid_request', details: { fields } });
  }
  const both = await Promise.all([1, 2].map(() => accept(h, { token, name: 'Bob', password: PASSWORD })));
  t.same(both.map(outcome).sort(), ['200', '404 not_found'], 'two at once: one of them');
  const [done] = both.filter(({ statusCode }) => statusCode === 200);
  t.match(done?.json(), {
    user: { email: 'bob@example.com', name: 'Bob', operator: false },
    organizations: [{ id: h.org.orgId, role: 'developer', workspaces: [{ id: second }] }],
  });
  const bob = asPerson(h, cookieOf(done ?? { headers: {} }));
  t.equal((await bob('GET', '/v1/session')).statusCode, 200, 'and is signed in');
  t.equal(outcome(await accept(h, { token, name: 'Eve', password: PASSWORD })), '404 not_found');
  t.same((await owner('GET', path)).json(), { data: [] });
  const notices = (await owner('GET', path.replace('invites', 'notices'))).json().data;
  t.match(notices, [{ kind: 'member_joined', subject: 'bob@example.com has joined as developer' }]);
  const audited = (await entriesOf(h)).map(brief).map(({ action, result }) => `${action} ${result}`);
  t.ok(audited.includes('invite.create ok') && audited.includes('invite.accept ok'));
});

t.test('a person with an account needs its password or a session, never the link alone', async (t) => {
  const { h, tokenFor } = await start(t);
  const email = 'carol@example.com';
  const carol = await h.signIn('owner', { org: h.other, email });
  const stranger = await h.signIn('admin', { org: h.other });
  const token = await tokenFor(email, 'admin');
  t.match((await h.callConsole('POST', '/v1/invites/lookup', { key: null, body: { token } })).json(), {
    known: true,
  });
  t.equal(outcome(await accept(h, { token })), '400 invalid_request');
  t.equal(outcome(await accept(h, { token, name: 'Eve', password: 'a guess of somebody' })), '401 invalid_credentials');
  t.match(
    (await accept(h, { token }, stranger)).json().error.details,
    { fields: ['password'] },
    "somebody else's session does not count",
  );
  const wrong = await h.store.get<{ n: number }>('SELECT COUNT(*) AS n FROM members WHERE account_id = :id', {
    id: h.org.id,
  });
  t.equal(wrong?.n, 1);
  const joined = await accept(h, { token }, carol);
  t.equal(joined.statusCode, 200);
  t.equal(joined.headers['set-cookie'], undefined, 'the session goes on');
  t.same(
    joined.json().organizations.map(({ role }: { role: string }) => role),
    ['admin', 'owner'],
  );
  const dave = await h.signIn('owner', { org: h.other, email: 'dave@example.com' });
  const again = await accept(h, { token: await tokenFor('dave@example.com'), password: PASSWORD }, stranger);
  t.equal(again.json().user.email, 'dave@example.com', 'the password signs in, and ends the session there was');
  t.equal(outcome(await asPerson(h, stranger)('GET', '/v1/session')), '401 session_required');
  t.equal(outcome(await asPerson(h, dave)('GET', '/v1/session')), '200');
});

t.test('links that do not work look alike, and guesses are limited', async (t) => {
  const { h, owner, path, invite, tokenFor } = await start(t);
  const expired = await tokenFor('a@example.com');
  await h.clock.skip(7 * DAY);
  t.same((await owner('GET', path)).json(), { data: [] }, 'expired ones are not listed');
  await h.workers.named('invite-purge').run(new Set());
  t.same(await h.store.all('SELECT 1 FROM invites'), [], 'nor kept');
  const replaced = await tokenFor('b@example.com');
  const made = (await invite({ email: 'b@example.com', role: 'developer' })).json();
  const revoked = made.accept_url.split('#')[1];
  t.equal((await owner('GET', path)).json().data.length, 1, 'a second one replaces the first');
  t.equal((await owner('DELETE', `${path}/${made.id}`)).statusCode, 204);
  t.equal(outcome(await owner('DELETE', `${path}/${made.id}`)), '404 not_found');
  const seen = new Set<string>();
  for (const token of [expired, replaced, revoked, 'x'.repeat(43), 'nonsense', '']) {
    const answer = await accept(h, { token, name: 'Eve', password: PASSWORD });
    const { request_id: _, ...error } = answer.json().error;
    seen.add(JSON.stringify([answer.statusCode, error]));
  }
  t.equal(seen.size, 1, [...seen].join('\n'));
  for (let n = 0; n < 4; n++) await accept(h, { token: '', name: 'Eve', password: PASSWORD });
  t.equal(outcome(await accept(h, { token: '', name: 'Eve', password: PASSWORD })), '429 rate_limited');

  const email = 'carol@example.com';
  await h.signIn('owner', { org: h.other, email });
  const token = await tokenFor(email);
  const guess = (ip: string) =>
    h.inject({
      method: 'POST',
      url: '/api/runner/v1/invites/accept',
      remoteAddress: ip,
      payload: { token, password: 'a wild guess' },
    });
  for (let n = 0; n < h.limits.sign_in_failures_per_minute; n++) await guess('192.0.2.1');
  t.equal(outcome(await guess('192.0.2.1')), '429 rate_limited', 'guesses of a password count as at the sign-in');
  const signIn = { method: 'POST', url: '/api/runner/v1/session', remoteAddress: '192.0.2.1' } as const;
  const there = await h.inject({ ...signIn, payload: { email, password: 'another guess' } });
  t.equal(outcome(there), '429 rate_limited', 'together with those');
});

t.test('who may invite whom', async (t) => {
  const { h, path, invite } = await start(t);
  const admin = asPerson(h, await h.signIn('admin'));
  t.equal(outcome(await invite({ email: 'a@example.com', role: 'admin' }, admin)), '201');
  const refused = await invite({ email: 'a@example.com', role: 'owner' }, admin);
  t.equal(outcome(refused), '403 insufficient_permission', 'an admin cannot make an owner');
  const owned = (await invite({ email: 'b@example.com', role: 'owner' })).json();
  t.equal(outcome(await admin('DELETE', `${path}/${owned.id}`)), '403 insufficient_permission');
  const instead = await invite({ email: 'B@example.com', role: 'developer' }, admin);
  t.equal(outcome(instead), '403 insufficient_permission', 'to replace it would revoke it');
  for (const [body, fields] of [
    [{ email: 'nobody', role: 'admin' }, ['email']],
    [{ email: `admin-${h.org.id}@example.com`, role: 'owner' }, ['email']],
    [{ email: 'c@example.com', role: 'king' }, ['role']],
    [{ email: 'c@example.com', role: 'admin', workspace_ids: [h.org.workspaceId] }, ['workspace_ids']],
    [{ email: 'c@example.com', role: 'developer', workspace_ids: [h.other.workspaceId] }, ['workspace_ids']],
    [{ email: 'c@example.com', role: 'developer', workspaces: [] }, ['workspaces']],
  ] as const) {
    t.match((await invite(body)).json().error, { code: 'invalid_request', details: { fields } });
  }
  const { json: plain } = await invite({ email: 'd@example.com', role: 'developer' });
  t.same(plain().workspace_ids, [h.org.workspaceId], 'without workspaces: the first one');
});

t.test('invitations of a removed member are revoked; nobody can join a suspended organization', async (t) => {
  const { h, invite } = await start(t);
  const admin = asPerson(h, await h.signIn('admin'));
  const [first, second] = await Promise.all(
    ['second-self@example.com', 'e@example.com'].map(async (email, at) => {
      const answer = await invite({ email, role: 'admin' }, ...(at === 0 ? [admin] : []));
      return answer.json().accept_url.split('#')[1] as string;
    }),
  );
  await h.members.remove(await h.members.find(h.org.id, `admin-${h.org.id}@example.com`), 'operator');
  const body = { name: 'Eve', password: PASSWORD };
  t.equal(outcome(await accept(h, { ...body, token: first })), '404 not_found');
  const organization = await h.organizations.find(h.org.orgId);
  await h.organizations.setStatus(organization, 'suspended');
  t.equal(outcome(await accept(h, { ...body, token: second })), '403 organization_suspended');
  await h.organizations.setStatus(organization, 'active');
  t.equal(outcome(await accept(h, { ...body, token: second })), '200');
});

t.test('a person who loses a role keeps no invitation that the new role may not make', async (t) => {
  const { h, owner, path, invite, tokenFor } = await start(t);
  const members = path.replace('invites', 'members');
  const admin = asPerson(h, await h.signIn('admin'));
  const { userId } = await h.members.find(h.org.id, `admin-${h.org.id}@example.com`);
  const setRole = async (role: string) =>
    t.equal(outcome(await owner('PATCH', `${members}/${userId}`, { role })), '200');
  const open = async () =>
    (await owner('GET', path))
      .json()
      .data.map(({ email }: { email: string }) => email)
      .sort();
  await setRole('owner');
  const made = (await invite({ email: 'second-self@example.com', role: 'owner' }, admin)).json();
  await invite({ email: 'a@example.com', role: 'admin' }, admin);
  await tokenFor('by-another@example.com', 'owner');
  await setRole('admin');
  const token = made.accept_url.split('#')[1];
  const accepted = await accept(h, { token, name: 'Eve', password: PASSWORD });
  t.equal(outcome(accepted), '404 not_found', 'an owner no more makes no owner');
  t.same(await open(), ['a@example.com', 'by-another@example.com']);
  await setRole('developer');
  t.same(await open(), ['by-another@example.com']);
});

t.test('invitations by an organization are limited, all and those of an address', async (t) => {
  const limits = { invites: 3, invites_per_day: 7, invites_per_day_email: 2 };
  const { h, owner, path, invite } = await start(t, { limits });
  const send = (email: string) => invite({ email, role: 'developer' });
  t.same([await send('a@x.com'), await send('a@x.com')].map(outcome), ['201', '201']);
  const third = await send('a@x.com');
  t.equal(outcome(third), '429 rate_limited', 'nobody is flooded with mails');
  t.equal(third.headers['retry-after'], String(DAY / 1000));
  t.match(third.json().error.message, /^This organization made 2 invitations of a@x\.com in 24 hours/);
  const elsewhere = asPerson(h, await h.signIn('owner', { org: h.other }));
  const there = `/v1/organizations/${h.other.orgId}/invites`;
  const others = () => elsewhere('POST', there, { email: 'a@x.com', role: 'admin' });
  const same = [await others(), await others()].map(outcome);
  t.same(same, ['201', '201'], 'other organizations neither notice nor are locked out');
  t.match((await others()).json().error.message, /made 2 invitations/, 'of their own');
  t.same([await send('b@x.com'), await send('c@x.com')].map(outcome), ['201', '201']);
  t.equal(outcome(await send('d@x.com')), '409 invites_limit');
  for (const { id } of (await owner('GET', path)).json().data) await owner('DELETE', `${path}/${id}`);
  const more = [await send('e@x.com'), await send('f@x.com'), await send('g@x.com')];
  t.same(more.map(outcome), ['201', '201', '201']);
  for (const { id } of (await owner('GET', path)).json().data) await owner('DELETE', `${path}/${id}`);
  t.equal(outcome(await send('h@x.com')), '429 rate_limited', 'revoked ones count');
  await h.clock.advance(DAY);
  t.equal(outcome(await send('a@x.com')), '201');
});

t.test('the invitation is mailed, and its address is not kept with the mail', async (t) => {
  const smtp = await startSmtpServer(t);
  const { h, invite } = await start(t, { smtpUrl: smtp.url });
  const { accept_url, mailed } = (await invite({ email: 'bob@example.com', role: 'admin' })).json();
  t.ok(mailed);
  await h.workers.idle();
  const [mail] = smtp.mails;
  t.match(mail, { to: [/bob@example\.com/], data: /^Subject: Invitation to Apple Press$/m });
  const text = mail?.data.replaceAll('=\n', '').replaceAll('=3D', '=') ?? '';
  t.ok(text.includes(accept_url), text);
  t.match(await h.store.all('SELECT sent_at, text FROM mails'), [{ sent_at: Number, text: '' }]);
});
