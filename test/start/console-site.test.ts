// How the service hands out the console.
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { addresses } from '../../control-plane/console/addresses.js';
import { startHarness } from '../harness/harness.js';

t.test('every address answers with the application, and a new nonce each time', async (t) => {
  const h = await startHarness(t, { siteUrl: 'https://macs.test' });
  const get = (url: string, headers = {}) => h.inject({ method: 'GET', url, headers });
  for (const address of addresses) {
    const url = address.replaceAll(/\$\w+/g, 'x1');
    if (/^\/(pay|builds)\//.test(url)) continue;
    const answer = await get(url);
    t.equal(answer.statusCode, 200, url);
    t.equal(answer.headers['cache-control'], 'no-store');
    t.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
  }
  const html = { accept: 'text/html,*/*;q=0.8' };
  for (const url of ['/o/x1/nothing', '/operator/nothing', '/nothing', '/shared/x/y', '/pay', '/settings/x']) {
    const answer = await get(url, html);
    t.equal(answer.statusCode, 404, url);
    t.match(answer.body, '<div id="root">', 'the application says that there is no such page');
    t.match(answer.headers['content-security-policy'], /default-src 'none'; script-src 'self' 'nonce-/);
  }
  for (const url of ['/api/v1/nothing', '/api/runner/x', '/api/operator/v1/x', '/console/assets/x.js', '/api/x']) {
    t.equal((await get(url, html)).headers['content-type'], 'application/json; charset=utf-8', url);
  }
  t.match((await get('/nothing')).json(), { error: { code: 'not_found' } }, 'a program');
  const posted = await h.inject({ method: 'POST', url: '/nothing', headers: html });
  t.match(posted.json(), { error: { code: 'not_found' } });
  const nonces = [];
  for (const answer of [await get('/'), await get('/')]) {
    const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(String(answer.headers['content-security-policy']))?.[1];
    t.ok(nonce);
    t.equal(answer.body.split(`nonce="${nonce}"`).length - 1, answer.body.split('nonce=').length - 1);
    t.notMatch(answer.body, /<script(?![^>]*src=)|<style|__nonce__/, 'no script or style in the document');
    nonces.push(nonce);
  }
  t.not(nonces[0], nonces[1]);
});

t.test('language and theme are in the first byte', async (t) => {
  const h = await startHarness(t);
  const root = async (headers: Record<string, string>) =>
    /<html[^>]*>/.exec((await h.inject({ method: 'GET', url: '/', headers })).body)?.[0];
  t.equal(await root({}), '<html lang="en" data-theme="system">');
  t.equal(await root({ 'accept-language': 'fr, ko-KR;q=0.8' }), '<html lang="ko" data-theme="system">');
  t.equal(
    await root({ 'accept-language': 'ko', cookie: 'a=b; cidermill_language=en; cidermill_theme=dark' }),
    '<html lang="en" data-theme="dark">',
  );
  t.equal(
    await root({ cookie: 'cidermill_theme="><script>; xcidermill_language=ko; cidermill_language=de' }),
    '<html lang="en" data-theme="system">',
  );
});

t.test('files of the application are kept for a year, compressed', async (t) => {
  const h = await startHarness(t);
  const get = (url: string, headers = {}) => h.inject({ method: 'GET', url, headers });
  const script = /src="([^"]+\/index-[^"]+\.js)"/.exec((await get('/')).body)?.[1] ?? '';
  const plain = await get(script, { 'accept-encoding': 'identity' });
  const packed = await get(script, { 'accept-encoding': 'gzip' });
  t.match(plain.headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  });
  t.equal(packed.headers['content-encoding'], 'gzip');
  t.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload));
  for (const name of ['none.js', '..%2f.vite%2fmanifest.json', 'index.html', '%2e%2e', `${script.slice(16)}.gz`]) {
    const answer = await get(`/console/assets/${name}`);
    t.equal(answer.statusCode, 404, name);
    t.equal(answer.headers['cache-control'], 'no-store', 'it may exist after an upgrade');
  }
});
