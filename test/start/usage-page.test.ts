// The usage page of a person's organizations: who can see it, and what it shows when a limit is reached.
import t from 'tap';
import { startHarness } from '../harness/harness.js';

const EVIL = `<script>alert(1)</script>"'&`;

t.test('people see the usage of their organizations only', async (t) => {
  const h = await startHarness(t);
  const get = (cookie?: string) =>
    h.inject({ method: 'GET', url: '/usage', headers: cookie === undefined ? {} : { cookie } });

  const unknown = await get();
  t.equal(unknown.statusCode, 303);
  t.equal(unknown.headers.location, '/sign-in?next=%2Fusage');

  const developer = await h.signIn('developer', { email: 'dev@example.com' });
  await h.organizations.create({ name: EVIL });
  const page = await get(developer);
  t.equal(page.statusCode, 200);
  t.equal(page.headers['cache-control'], 'no-store');
  t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'self'/);
  t.match(page.body, '<h1 id="org-0">Apple Press</h1>');
  t.match(page.body, /<dt>Files of uploads<\/dt><dd>0 bytes of 50\.0 GiB <meter/);
  t.match(page.body, /<dt>Logs are kept for<\/dt><dd>90 days<\/dd>/);
  t.notMatch(page.body, /alert|There is no room/, 'other organizations are not shown');

  const nobody = await h.signIn('owner', { org: h.other, email: 'other@example.com' });
  t.notMatch((await get(nobody)).body, /Apple Press/);
});

t.test('the page says what to do when a limit is reached', async (t) => {
  const h = await startHarness(t);
  const cookie = await h.signIn('owner');
  const org = await h.organizations.find(h.org.orgId);
  await h.store.run(`UPDATE organizations SET name = :name, limits = :limits WHERE id = :id`, {
    ...{ id: org.id, name: EVIL },
    limits: JSON.stringify({ artifacts_bytes: 0, logs_bytes: 0, logs_kept_ms: 86_400_000 }),
  });
  const { body } = await h.inject({ method: 'GET', url: '/usage', headers: { cookie } });
  t.match(body, /Storage for artifacts is full\. Delete/);
  t.match(body, /Storage for logs is full.*deleted after 1 day\./);
  t.notMatch(body, /more uploads/);
  t.match(body, /&#60;script&#62;alert/);
  t.notMatch(body, /<script/);
});
