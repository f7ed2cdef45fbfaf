// Which service the command speaks with.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Place } from './place.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { KEY, startScriptedService } from './scripted-service.js';

t.test('the service is found by flags, environment, login, and a service in this folder, in this order', async (t) => {
  const { service, place } = await setUp(t);
  const other = await startScriptedService();
  t.teardown(other.close);
  const bare = { ...place, env: { ...place.env, CIDERMILL_URL: undefined, CIDERMILL_API_KEY: undefined } };
  const reached = async (args: string[], env: NodeJS.ProcessEnv = {}, at: Place = bare) => {
    service.requests.length = 0;
    other.requests.length = 0;
    const { code, stderr } = await runCli(at, ['queue', ...args], { env });
    const [one, two] = [service.requests[0], other.requests[0]];
    return {
      code,
      stderr,
      at: one ? 'service' : two ? 'other' : null,
      key: (one ?? two)?.headers.authorization,
    };
  };
  t.match(await reached([]), { code: 64, stderr: /no service is configured/ });
  mkdirSync(join(place.project, '.cidermill'));
  const dev = join(place.project, '.cidermill/dev.json');
  writeFileSync(dev, JSON.stringify({ base_url: service.url, api_key: KEY }), { mode: 0o600 });
  t.match(await reached([]), { code: 0, at: 'service', key: `Bearer ${KEY}` });

  const login = await runCli(bare, ['login', '--url', other.url], { input: `${KEY}\n` });
  t.match(login, { code: 0, stdout: /logged in to .* as Acme with key laptop \(build\)/ });
  const stored = join(place.root, 'config/cidermill/config.json');
  t.equal(statSync(stored).mode & 0o777, 0o600);
  t.same(readdirSync(join(stored, '..')), ['config.json']);
  t.match(await reached([]), { code: 0, at: 'other' }, 'login goes before the folder');
  const { url, key } = JSON.parse(readFileSync(stored, 'utf8'));
  writeFileSync(stored, JSON.stringify({ URL: url, key }), { mode: 0o600 });
  const unknownField = { code: 64, at: null, stderr: /unknown field "URL"; did you mean url\?/ };
  t.match(await reached([]), unknownField, 'a misspelled field does not lead to another service');
  writeFileSync(stored, JSON.stringify({ url, key }), { mode: 0o600 });
  t.match(await reached([], { CIDERMILL_APIKEY: KEY, CIDERMILL_KEYS: '9' }), {
    code: 0,
    stderr: /^cidermill: CIDERMILL_APIKEY has no effect; did you mean CIDERMILL_API_KEY\?\n$/,
  });
  t.match(await reached([], { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY }), {
    code: 0,
    at: 'service',
  });
  t.match(await reached(['--url', other.url], { CIDERMILL_URL: service.url, CIDERMILL_API_KEY: KEY }), {
    at: 'other',
  });
  t.match(await reached(['--key', 'cm_flag'], { CIDERMILL_API_KEY: KEY }), {
    code: 77,
    at: 'other',
    key: 'Bearer cm_flag',
  });
  t.match(await reached(['--url', other.url]), { code: 0, at: 'other' }, 'a stored key goes to its own service');
  t.match(
    await reached(['--url', 'http://127.0.0.1:9/api/v1']),
    { code: 64, at: null, stderr: /no key for/ },
    'and to no other one',
  );
  const refused = await runCli(bare, ['login', '--url', service.url, '--key', 'cm_bad']);
  t.equal(refused.code, 77);
  t.equal(JSON.parse(readFileSync(stored, 'utf8')).url, other.url, 'a key that is refused is not stored');
  t.match(await runCli(bare, ['login'], { input: KEY }), { code: 64, stderr: /--url/ });
  t.match(await runCli(bare, ['login', '--url', service.url], { input: '' }), {
    code: 64,
    stderr: /API key/,
  });

  execFileSync('chmod', ['644', stored]);
  t.match(await reached([]), { code: 64, stderr: /must belong to you alone/ });
  execFileSync('chmod', ['600', stored]);
  writeFileSync(stored, '{');
  t.match(await reached([]), { code: 64, stderr: /is not JSON/ });
  // The configuration is no file: this is an error, not the same as no configuration.
  rmSync(stored);
  mkdirSync(stored, { mode: 0o700 });
  t.match(await reached([]), { code: 64, stderr: /config\.json cannot be read \(EISDIR\)/ });
});
