import fc from 'fast-check';
import t from 'tap';
import { isMasked } from '../../control-plane/builds/domain/secret.js';
import { secretNeedles } from '../../host-agent/runner/mask/needles.js';
import { START, startHarness } from '../harness/harness.js';

t.test('a secret is set, listed by name, changed and removed, and never shown', async (t) => {
  const { call, clock, store } = await startHarness(t);
  const first = await call('PUT', '/secrets/GIT_TOKEN', { body: { value: 'hunter2-hunter2' } });
  t.same(first.json(), {
    name: 'GIT_TOKEN',
    created_at: new Date(START).toISOString(),
    updated_at: new Date(START).toISOString(),
    readable: true,
    masked: true,
    warning: null,
    warning_message: null,
    kind: 'variable',
  });
  await clock.advance(5_000);
  const second = await call('PUT', '/secrets/GIT_TOKEN', { body: { value: 'other-value' } });
  t.equal(second.json().created_at, new Date(START).toISOString());
  t.equal(second.json().updated_at, new Date(START + 5_000).toISOString());
  await call('PUT', '/secrets/A', { body: { value: 'x'.repeat(64 * 1024) } });
  const listed = await call('GET', '/secrets');
  t.same(
    listed.json().secrets.map((secret: { name: string }) => secret.name),
    ['A', 'GIT_TOKEN'],
  );
  t.notMatch(listed.body, 'value');
  await call('PUT', '/secrets/PIN', { body: { value: '42' } });
  const masked = (await call('GET', '/secrets')).json().secrets;
  t.match(masked, [
    { name: 'A', masked: true },
    { name: 'GIT_TOKEN', masked: true },
    { name: 'PIN', masked: false },
  ]);
  await call('DELETE', '/secrets/PIN');
  t.same((await call('DELETE', '/secrets/A')).json(), { name: 'A', deleted: true });
  t.equal((await call('DELETE', '/secrets/A')).json().error.code, 'secret_not_found');
  await call('PUT', '/secrets/B', { body: { value: 'value-of-b' } });
  for (const replayed of [undefined, 'true']) {
    const removed = await call('DELETE', '/secrets/B', { headers: { 'idempotency-key': 'once' } });
    t.same(removed.json(), { name: 'B', deleted: true }, 'a repeat whose first answer was lost hears the same');
    t.equal(removed.headers['idempotent-replayed'], replayed);
  }
  const rows = await store.all<{ ciphertext: Buffer }>('SELECT ciphertext FROM secrets');
  t.equal(rows.length, 1);
  t.notOk(rows[0]?.ciphertext.includes('other'));
});

t.test('names and values are validated', async (t) => {
  const { call } = await startHarness(t);
  const put = async (name: string, value: unknown) => {
    const answer = await call('PUT', `/secrets/${encodeURIComponent(name)}`, { body: { value } });
    return answer.statusCode === 200 ? 'set' : answer.json().error.code;
  };
  for (const name of [
    'A',
    '__',
    '_A1',
    'PAGER',
    'GIT_EDITOR',
    'BASHFUL',
    'UIDS',
    'A'.repeat(128),
    'GITHUB_STATUS_TOKEN',
    'PATHS',
    'MY_PATH',
  ]) {
    t.equal(await put(name, 'v'), 'set', name);
  }
  for (const name of [
    'a',
    '1A',
    'A-B',
    'A B',
    'Ä',
    'A'.repeat(129),
    'A\n',
    ' A',
    'A=',
    'PATH',
    'HOME',
    'CI',
    'DEVELOPER_DIR',
    'CIDERMILL_BUILD_ID',
    'CIDERMILL_X',
    'BASH_ENV',
    '_',
    'UID',
    'EUID',
    'PPID',
    'SHLVL',
    'OLDPWD',
    'PWD',
    'GROUPS',
    'SHELLOPTS',
    'RANDOM',
    'PS4',
    'COLUMNS',
    'LINES',
    'FUNCNEST',
    'BASH',
    'BASHOPTS',
    'BASHPID',
    'BASH_VERSION',
    'BASH_COMPAT',
    'BASH_XTRACEFD',
    'DYLD_LIBRARY_PATH',
  ]) {
    t.equal(await put(name, 'v'), 'invalid_secret_name', name);
  }
  const refused = await call('PUT', '/secrets/UID', { body: { value: 'v' } });
  t.match(refused.json().error.message, /^UID is a variable that shells manage themselves/);
  for (const value of ['', 'a\0b', 'x'.repeat(64 * 1024 + 1), 'ä'.repeat(32 * 1024 + 1), 7, null, ['x']]) {
    t.equal(await put('V', value), 'invalid_secret_value', String(value).slice(0, 20));
  }
  for (const value of ['x', ' ', '\n', '🍎', 'line 1\r\nline 2', 'ä'.repeat(32 * 1024), '\u0001']) {
    t.equal(await put('V', value), 'set', value.slice(0, 20));
  }
});

t.test('a value that is too short or blank to be masked is stored with a warning', async (t) => {
  const { call } = await startHarness(t);
  for (const [value, masked] of [
    ['a', false],
    ['ab', false],
    ['ä', false],
    ['abc', true],
    ['äb', true],
    ['   ', false],
    ['\n\n\t \r\n   ', false],
    ['a \n\n ', false],
    ['a b', true],
  ] as const) {
    const answer = (await call('PUT', '/secrets/SHORT', { body: { value } })).json();
    t.equal(answer.masked, masked, value);
    t.match(
      answer,
      masked
        ? { warning: null, warning_message: null }
        : { warning_message: { code: 'not_masked', text: answer.warning } },
    );
  }
});

t.test('a value reported as masked is masked by the hosts', async (t) => {
  const piece = fc.constantFrom(' ', '\n', '\t', '\r\n', 'a', 'bc', 'ä', '\u00a0', '\x1b[31m', '\x1b');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const value = pieces.join('');
      return !isMasked(Buffer.from(value)) || secretNeedles([{ name: 'S', value }]).unmasked.length === 0;
    }),
  );
  t.pass('for every value');
});

t.test('all secrets of an account fit into the environment of a process together', async (t) => {
  const { call, other } = await startHarness(t, { limits: { secrets_total_bytes: 1_000 } });
  const put = async (name: string, bytes: number, key?: string) => {
    const answer = await call('PUT', `/secrets/${name}`, {
      body: { value: 'x'.repeat(bytes) },
      ...(key ? { key } : {}),
    });
    return answer.statusCode === 200 ? 'set' : answer.json().error;
  };
  t.equal(await put('AA', 496), 'set');
  t.match(await put('BB', 497), { code: 'secrets_limit', message: /1000 bytes.*with this one: 1001/ });
  t.equal(await put('BB', 496), 'set', 'names, signs and ends are counted: 2 × (2 + 496 + 2) bytes');
  t.match(await put('C', 1), { code: 'secrets_limit' });
  t.equal(await put('AA', 400), 'set', 'a value can be replaced by a shorter one');
  t.equal(await put('C', 90), 'set');
  t.equal(await put('AA', 496, other.key), 'set', 'another account has its own room');
});

t.test('the number of secrets per account is limited; changing one is always possible', async (t) => {
  const { call, other } = await startHarness(t, { limits: { secrets: 3 } });
  const put = (i: number, key?: string) =>
    call('PUT', `/secrets/S${i}`, { body: { value: `${i}` }, ...(key ? { key } : {}) });
  const all = await Promise.all(Array.from({ length: 6 }, (_, i) => put(i)));
  t.equal(all.filter((answer) => answer.statusCode === 200).length, 3, 'at the same time too');
  t.equal(all.find((answer) => answer.statusCode === 400)?.json().error.code, 'secrets_limit');
  const mine = (await call('GET', '/secrets')).json().secrets;
  t.equal((await call('PUT', `/secrets/${mine[0].name}`, { body: { value: 'new' } })).statusCode, 200);
  t.equal((await put(0, other.key)).statusCode, 200, 'another account has its own');
});

t.test('an account can neither read nor change secrets of another', async (t) => {
  const { call, other, secrets, org } = await startHarness(t);
  await call('PUT', '/secrets/MINE', { body: { value: 'mine' } });
  t.same((await call('GET', '/secrets', { key: other.key })).json(), { secrets: [] });
  const foreign = await call('DELETE', '/secrets/MINE', { key: other.key });
  const unknown = await call('DELETE', '/secrets/NONE', { key: other.key });
  t.same(
    { ...foreign.json().error, request_id: '' },
    { ...unknown.json().error, request_id: '' },
    'a foreign secret looks like none',
  );
  await call('PUT', '/secrets/MINE', { key: other.key, body: { value: 'theirs' } });
  t.same(await secrets.reveal(org.id), [{ name: 'MINE', value: 'mine' }]);
});

t.test('a sealed value opens only in its own row', async (t) => {
  const { call, store, secrets, org, other } = await startHarness(t);
  await call('PUT', '/secrets/ONE', { body: { value: 'one' } });
  await store.run('UPDATE secrets SET account_id = :to', { to: other.id });
  await t.rejects(secrets.reveal(other.id), 'moved to another account');
  await store.run("UPDATE secrets SET account_id = :to, name = 'TWO'", { to: org.id });
  await t.rejects(secrets.reveal(org.id), 'renamed');
  await store.run("UPDATE secrets SET name = 'ONE'");
  t.same(await secrets.reveal(org.id), [{ name: 'ONE', value: 'one' }]);
});
