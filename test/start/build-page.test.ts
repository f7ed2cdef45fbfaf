// The page where console_url leads: who sees it, and that nothing of a build acts in it.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import t from 'tap';
import { HIDDEN, hidden } from '../harness/hidden-text.js';
import { MINUTE, show, submit, withMacs } from '../harness/submitting.js';

const EVIL = '</pre><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';

t.test('members see the build; others cannot find out whether it exists', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  const get = (path: string, cookie?: string) =>
    h.inject({ method: 'GET', url: path, headers: cookie === undefined ? {} : { cookie } });
  const cookies = {
    developer: await h.signIn('developer'),
    stranger: await h.signIn('owner', { org: h.other, email: 'stranger@example.com' }),
  };

  for (const path of [`/builds/${id}`, '/builds/rb_none', `/builds/${id}/artifacts/file_none`]) {
    const answer = await get(path);
    t.equal(answer.statusCode, 303, path);
    t.equal(answer.headers.location, `/sign-in?next=${encodeURIComponent(path)}`);
    t.equal((await get(`${path}?x=1`, 'cidermill_session=wrong')).statusCode, 303);
    t.equal(
      (await h.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${h.keys.all}` } }))
        .statusCode,
      303,
    );
  }
  const waiting = await get(`/builds/${id}`, cookies.developer);
  t.equal(waiting.statusCode, 200);
  t.equal(waiting.headers['content-type'], 'text/html; charset=utf-8');
  t.match(
    waiting.headers['content-security-policy'],
    /^default-src 'none'; style-src 'self'; img-src data:; form-action 'none'/,
  );
  t.equal(waiting.headers['cache-control'], 'no-store');
  t.match(waiting.body, new RegExp(`<h1 id="title">Build <code>${id}</code>`));
  t.match(waiting.body, /apple\/swift/);
  t.match(waiting.body, /Nothing has been printed/);

  const foreign = await get(`/builds/${id}`, cookies.stranger);
  const none = await get('/builds/rb_none', cookies.stranger);
  t.equal(foreign.statusCode, 404);
  t.match(foreign.body, /No such build/);
  t.equal(foreign.body, none.body, 'another organization’s build looks like none');
  t.equal((await get('/builds/rb_none', cookies.developer)).statusCode, 404);
  t.equal((await get(`/builds/${'x'.repeat(3_000)}`, cookies.developer)).statusCode, 404);

  await host.start();
  await h.clock.advance(2 * MINUTE);
  t.match((await get(`/builds/${id}`, cookies.developer)).body, /running[\s\S]*<dt>Ran<\/dt><dd>2 min 0 s/);

  await h.organizations.setStatus(await h.organizations.find(h.org.orgId), 'suspended');
  const suspended = await get(`/builds/${id}`, cookies.developer);
  t.equal(suspended.statusCode, 403);
  t.match(suspended.body, /The organization is suspended/);
});

t.test('output and artifacts of a build are shown as text, and artifacts can be downloaded', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h, { script: `make '${EVIL}'`, ref: 'main' });
  const cookie = await h.signIn('developer');
  const get = (path: string) => h.inject({ method: 'GET', url: path, headers: { cookie } });
  await host.start();
  await host.output(id, `\x1b[31m${EVIL}\x1b[0m${Object.values(hidden).join('')}\n`);
  await host.output(id, Array.from({ length: 90 }, (_, at) => `line ${at}\n`).join(''));
  await host.output(id, `App/${EVIL}.swift:3:1: error: ${EVIL}\n`);
  const bytes = Buffer.from('an artifact');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `out/${EVIL.replaceAll('/', '')}.html`;
  await h.artifacts.store(
    { buildId: id, attempt: 1, name, bytes: bytes.length, sha256 },
    Readable.from([bytes]),
  );
  await host.finish(id, {
    ...{ exit_code: 65, reason_code: 'script_failed', fault: 'customer' },
    ...{ summary: EVIL, warnings: [EVIL] },
  });
  t.match(await show(h, id), { status: 'failed' });
  const { body, statusCode } = await get(`/builds/${id}`);
  t.equal(statusCode, 200);
  t.notMatch(body, /<script|<img|onerror=alert\(1\)>/);
  t.notOk(HIDDEN.test(body.replace(/\n/g, '')), 'nothing hidden comes along');
  t.match(body, /Why it failed/);
  t.match(body, /<dt>Exit code<\/dt><dd>65/);
  t.match(body, /The last 60 of 92 lines/);
  const [, raw = ''] = /<a href="([^"]+)">The whole log as text/.exec(body) ?? [];
  t.match((await get(raw)).body, /^\x1b\[31m<\/pre>[\s\S]*line 89\n/);

  const [, artifact = ''] = /<a href="(\/builds\/[^"]+\/artifacts\/[^"]+)"/.exec(body) ?? [];
  const lead = await get(artifact);
  t.equal(lead.statusCode, 303);
  const fetched = await get(String(lead.headers.location));
  t.equal(fetched.body, 'an artifact');
  t.match(fetched.headers['content-disposition'], /^attachment/);
  const stranger = await h.signIn('owner', { org: h.other, email: 'stranger@example.com' });
  const refused = await h.inject({ method: 'GET', url: artifact, headers: { cookie: stranger } });
  t.equal(refused.statusCode, 404);
  t.equal((await get(artifact.replace(/[^/]+$/, 'file_none'))).statusCode, 404);
});

t.test('frequent reloads are rate limited', async (t) => {
  const { h } = await withMacs(t, 1, { limits: { requests_per_minute: 3 } });
  const cookie = await h.signIn('developer');
  const get = () => h.inject({ method: 'GET', url: '/builds/rb_none', headers: { cookie } });
  for (let n = 0; n < 3; n++) t.equal((await get()).statusCode, 404);
  const answer = await get();
  t.equal(answer.statusCode, 429);
  t.ok(Number(answer.headers['retry-after']) > 0);
  t.match(answer.body, /Too many requests/);
});
