import t from 'tap';
import { startHarness } from '../harness/harness.js';

t.test('a key learns about itself and its account', async (t) => {
  const { call, org, keys } = await startHarness(t);
  const me = await call('GET', '/me');
  t.equal(me.statusCode, 200);
  t.equal(me.json().account.id, org.id);
  t.same(me.json().scopes, ['agent:read', 'agent:build', 'agent:manage']);
  t.same((await call('GET', '/account')).json().key, me.json().key);
  t.equal((await call('GET', '/me', { key: keys.build })).statusCode, 403);
  t.equal((await call('GET', '/nothing', { key: null })).statusCode, 404);
  const wrong = await call('POST', '/me');
  t.equal(wrong.statusCode, 405);
  t.equal(wrong.headers.allow, 'GET, HEAD, OPTIONS');
});
