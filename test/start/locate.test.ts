// GET /v1/locate: where a build, rental or order belongs, for members only.
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';

t.test('a member finds builds, rentals and orders; anybody else finds nothing', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  const [rental = ''] = host.rentals;
  const build = (await h.call('POST', '/builds', { body: { repo: 'a/b', script: 'make' } })).json().id;
  const order = (await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, start: '2026-03-20' } })).json()
    .order_no;
  const cookies = {
    owner: await h.signIn('owner'),
    developer: await h.signIn('developer', { workspaceIds: [] }),
    other: await h.signIn('owner', { org: h.other }),
  };
  const locate = (cookie: string, id: string) =>
    h.callConsole('GET', `/v1/locate?id=${encodeURIComponent(id)}`, { key: null, headers: { cookie } });
  const where = { organization_id: h.org.orgId, slug: 'apple-press' };
  const kinds = [
    [build, { kind: 'build', ...where, workspace_id: h.org.workspaceId }],
    [rental, { kind: 'rental', ...where, workspace_id: null }],
    [order, { kind: 'order', ...where, workspace_id: null }],
  ] as const;
  for (const [id, expected] of kinds) {
    t.same((await locate(cookies.owner, id)).json(), expected);
    const hidden = await locate(cookies.other, id);
    t.match([hidden.statusCode, hidden.json().error.code], [404, 'not_found'], `${id}, another organization`);
  }
  const missing = ['rb_none', 'rt_none', 'RT-0000-0000-0000', 'nonsense', "' OR 1=1 --"];
  for (const id of missing) t.equal((await locate(cookies.owner, id)).statusCode, 404, id);
  t.equal((await locate(cookies.owner, 'x'.repeat(101))).json().error.code, 'invalid_request');
  t.equal((await locate(cookies.developer, build)).statusCode, 404, 'a workspace that they cannot see');
  t.equal((await locate(cookies.developer, rental)).json().kind, 'rental', 'Macs belong to everybody');

  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  t.equal((await locate(cookies.owner, build)).json().error.code, 'organization_suspended');
  t.equal((await locate(cookies.other, build)).statusCode, 404);
});
