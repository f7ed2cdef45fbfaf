import { readFileSync } from 'node:fs';
import t from 'tap';
import { ConfigError, configurationTable, readConfig } from '../../control-plane/config.js';
import { defaultLimits } from '../../control-plane/domain/limits.js';

t.test('without variables the defaults hold', async (t) => {
  const config = readConfig({});
  t.same(config.limits, defaultLimits);
  t.match(config, {
    http: { host: '127.0.0.1', port: 8460, siteUrl: null, trustedProxies: [], operatorToken: null },
    codeHosts: { default: 'https://github.com', allowed: ['github.com', 'gitlab.com', 'bitbucket.org'] },
  });
  t.ok(config.data.startsWith('/'), 'the data folder is absolute');
});

t.test('every limit can be set by its variable', async (t) => {
  for (const name of Object.keys(defaultLimits)) {
    const variable = `CIDERMILL_${name.toUpperCase()}`;
    t.same(readConfig({ [variable]: '7' }).limits, { ...defaultLimits, [name]: 7 });
    t.throws(() => readConfig({ [variable]: 'many' }), { message: new RegExp(`^${variable}: expected`) });
  }
});

t.test('flags win over the environment', async (t) => {
  t.equal(readConfig({ CIDERMILL_PORT: '1' }, { CIDERMILL_PORT: '0' }).http.port, 0);
});

t.test('every wrong variable is named, all at once, and credentials are not quoted', async (t) => {
  const wrong = {
    CIDERMILL_PORT: '65536',
    CIDERMILL_SITE_URL: 'https://cidermill.example/path',
    CIDERMILL_TRUSTED_PROXIES: '10.0.0.0/8, nowhere',
    CIDERMILL_OPERATOR_TOKEN: 'short-secret',
    CIDERMILL_CODE_HOST: 'github.com',
    CIDERMILL_SECRET_SCANNING_KEYS_URL: 'file:///etc/passwd',
    CIDERMILL_WEBHOOK_ALLOWED_PRIVATE: 'hooks.corp, 10.0.0.0/33',
    CIDERMILL_QUEUED_BUILDS: '-1',
  };
  try {
    readConfig(wrong);
    t.fail('a wrong configuration was taken');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    t.same(error.problems.map((problem) => problem.split(':')[0]).sort(), Object.keys(wrong).sort());
    t.notMatch(error.message, 'short-secret');
  }
});

t.test('values are brought to one form', async (t) => {
  const config = readConfig({
    CIDERMILL_SITE_URL: 'https://Cidermill.example/',
    CIDERMILL_TRUSTED_PROXIES: '10.0.0.1, ::1/128,',
    CIDERMILL_REPO_HOSTS: 'git.example, github.com',
  });
  t.equal(config.http.siteUrl, 'https://cidermill.example');
  t.same(config.http.trustedProxies, ['10.0.0.1/32', '::1/128']);
  t.same(config.codeHosts.allowed, ['git.example', 'github.com']);
});

t.test('the documented tables are those of the program', async (t) => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  t.ok(page.includes(configurationTable()), 'docs/configuration.md is up to date');
});
