import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { configurationTable, readConfig } from '../../control-plane/config.js';
import { ConfigError } from '../../control-plane/config-error.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';

t.test('the defaults apply when no variables are set', async (t) => {
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

t.test('flags take precedence over the environment', async (t) => {
  t.equal(readConfig({ CIDERMILL_PORT: '1' }, { CIDERMILL_PORT: '0' }).http.port, 0);
});

t.test('all invalid variables are reported at once, without quoting credentials', async (t) => {
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

t.test('an empty data folder setting does not mean the current folder', async (t) => {
  t.throws(() => readConfig({ CIDERMILL_DATA: '' }), { message: 'CIDERMILL_DATA: must not be empty' });
});

t.test('a code host that would fail every build is rejected on startup', async (t) => {
  t.throws(() => readConfig({ CIDERMILL_CODE_HOST: 'http://git.example' }), {
    message: 'CIDERMILL_CODE_HOST: expected an https address, got "http://git.example"',
  });
  t.equal(readConfig({ CIDERMILL_CODE_HOST: 'https://git.example' }).codeHosts.default, 'https://git.example');
});

t.test('values are normalized', async (t) => {
  const config = readConfig({
    CIDERMILL_SITE_URL: 'https://Cidermill.example/',
    CIDERMILL_TRUSTED_PROXIES: '10.0.0.1, ::1/128,',
    CIDERMILL_REPO_HOSTS: 'git.example, github.com',
  });
  t.equal(config.http.siteUrl, 'https://cidermill.example');
  t.same(config.http.trustedProxies, ['10.0.0.1/32', '::1/128']);
  t.same(config.codeHosts.allowed, ['git.example', 'github.com']);
});

t.test('payments: PortOne is configured completely or not at all', async (t) => {
  const { payments } = readConfig({});
  t.match(payments, {
    provider: 'approval',
    portone: null,
    consentTexts: { order: { version: /./ }, top_up: { version: /./ } },
  });
  const whole = {
    CIDERMILL_PORTONE_API_SECRET: 'portone-secret',
    CIDERMILL_PORTONE_STORE_ID: 'store-1',
    CIDERMILL_PORTONE_CHANNEL_KEY: 'channel-1',
    CIDERMILL_PORTONE_WEBHOOK_SECRETS: 'whsec_pzQGE83cSIRKM4/WH5QY+g==,c2VjcmV0LW9mLXRoZS1mYWtlLTI=',
  };
  t.match(readConfig(whole).payments, {
    provider: 'approval',
    portone: {
      url: 'https://api.portone.io',
      apiSecret: 'portone-secret',
      storeId: 'store-1',
      channelKey: 'channel-1',
      manualConfirm: false,
      testAllowed: false,
      webhookKeys: [Buffer, Buffer],
    },
  });
  const problems = (given: Record<string, string>) => {
    try {
      readConfig(given);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      t.notMatch(error.message, /portone-secret|wh-secret/, 'credentials are not quoted');
      return error.problems.map((problem) => problem.split(':')[0]);
    }
  };
  const needed = Object.keys(whole).slice(0, 3);
  t.same(problems({ CIDERMILL_PAYMENT_PROVIDER: 'portone' }), needed);
  for (const name of needed) {
    t.same(problems({ ...whole, CIDERMILL_PAYMENT_PROVIDER: 'portone', [name]: '' }), [name]);
    t.same(problems({ ...whole, [name]: '' }), [name], 'beside another provider, too');
  }
  const wrong = [
    ['CIDERMILL_PAYMENT_PROVIDER', 'paypal'],
    ['CIDERMILL_PORTONE_URL', 'http://api.portone.io'],
    ['CIDERMILL_PORTONE_URL', 'https://api.portone.io/v2'],
    ['CIDERMILL_PORTONE_MANUAL_CONFIRM', 'yes'],
    ['CIDERMILL_PORTONE_TEST_CHANNEL', '1'],
    ['CIDERMILL_PORTONE_WEBHOOK_SECRETS', 'wh-secret'],
    ['CIDERMILL_PORTONE_WEBHOOK_SECRETS', Array(3).fill('c2VjcmV0LW9mLXRoZS1mYWtlLTI=').join()],
    ['CIDERMILL_CONSENT_FILE', '/nowhere/consent.json'],
  ] as const;
  for (const [name, value] of wrong) t.same(problems({ ...whole, [name]: value }), [name], `${name}=${value}`);
  t.same(problems({ ...whole, CIDERMILL_PORTONE_URL: 'http://127.0.0.1:9000' }), [], 'a stand-in on this machine');
});

t.test('payments: the consent texts are read from a file', async (t) => {
  const text = { version: '3', terms: 'These terms.', withdrawal: 'This right.' };
  const file = (content: string) => join(t.testdir({ 'consent.json': content }), 'consent.json');
  const read = (content: object) =>
    readConfig({ CIDERMILL_CONSENT_FILE: file(JSON.stringify(content)) }).payments.consentTexts;
  const { order: consentText, top_up: builtIn } = read(text);
  t.match(consentText, text);
  t.equal(consentText.sha256, createHash('sha256').update('These terms.\n\nThis right.').digest('hex'));
  t.equal(consentText.ko, null);
  const ko = { terms: '약관', withdrawal: '철회' };
  const { order: both } = read({ ...text, ko });
  t.match(both, { ...text, ko });
  t.not(both.sha256, consentText.sha256, 'the record of a consent covers both');
  t.match(builtIn.terms, 'credit', 'the built-in one, unless the file has one');
  const own = { terms: 'Of credit.', withdrawal: 'Back.' };
  t.match(read({ ...text, top_up: { ...own, ko } }).top_up, { version: '3', ...own, ko });
  t.equal(read({ ...text, ko, top_up: own }).top_up.ko, null);
  const wrong = [
    { ...text, more: 1 },
    { ...text, ko: { terms: 'x' } },
    { ...text, top_up: { terms: 'x' } },
  ].map((one) => JSON.stringify(one));
  for (const content of ['', '{}', '{"version":"1","terms":"x"}', ...wrong]) {
    t.throws(() => readConfig({ CIDERMILL_CONSENT_FILE: file(content) }), /^CIDERMILL_CONSENT_FILE: /);
  }
});

t.test('payments: the built-in text of top-ups names the time in which they can be withdrawn', async (t) => {
  const textOf = (env: Record<string, string>) => readConfig(env).payments.consentTexts.top_up;
  const usual = textOf({});
  t.match(usual.withdrawal, 'for 7 days after');
  t.match(usual.ko?.withdrawal, '7일 이내');
  const short = textOf({ CIDERMILL_TOPUP_WITHDRAW_MS: String(36 * 3_600_000) });
  t.match(short.withdrawal, 'for 36 hours after');
  t.match(short.ko?.withdrawal, '36시간 이내');
  t.not(short.version, usual.version);
  t.not(short.sha256, usual.sha256);
});

t.test('packages are beside the program, or in a folder of their own', async (t) => {
  t.match(readConfig({}).packages, /\/dist\/packages$/);
  t.equal(readConfig({ CIDERMILL_PACKAGES: '/srv/packages' }).packages, '/srv/packages');
});

t.test('the tables in the documentation match the code', async (t) => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  t.ok(page.includes(configurationTable()), 'docs/configuration.md is up to date');
});

t.test('identity provider: what belongs together, and https', async (t) => {
  const whole = {
    CIDERMILL_OIDC_ISSUER: 'https://accounts.example.com/realms/mill',
    CIDERMILL_OIDC_CLIENT_ID: 'cidermill',
    CIDERMILL_OIDC_CLIENT_SECRET: 'hush',
    CIDERMILL_OIDC_ALLOWED_DOMAINS: 'Example.com, @partner.example',
  };
  t.equal(readConfig({}).identity, null);
  t.same(readConfig(whole).identity, {
    issuer: 'https://accounts.example.com/realms/mill',
    clientId: 'cidermill',
    clientSecret: 'hush',
    allowedDomains: ['example.com', 'partner.example'],
  });
  t.equal(readConfig({ ...whole, CIDERMILL_OIDC_CLIENT_SECRET: '' }).identity?.clientSecret, null);
  for (const issuer of ['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000']) {
    t.equal(readConfig({ ...whole, CIDERMILL_OIDC_ISSUER: issuer }).identity?.issuer, issuer);
  }
  const wrong: readonly [object, RegExp][] = [
    [{ CIDERMILL_OIDC_CLIENT_ID: '' }, /CLIENT_ID: is needed together with CIDERMILL_OIDC_ISSUER/],
    [{ CIDERMILL_OIDC_ISSUER: '' }, /ISSUER: is needed together with CIDERMILL_OIDC_CLIENT_ID/],
    [{ CIDERMILL_OIDC_ISSUER: 'http://accounts.example.com' }, /expected an https address/],
    [{ CIDERMILL_OIDC_ISSUER: 'accounts.example.com' }, /expected an https address/],
    [
      { CIDERMILL_OIDC_ISSUER: 'https://accounts.example.com/.well-known/openid-configuration' },
      /without "\/.well-known/,
    ],
    [{ CIDERMILL_OIDC_ISSUER: 'https://accounts.example.com/?x' }, /without query/],
    [{ CIDERMILL_OIDC_ALLOWED_DOMAINS: 'ada@example.com' }, /domains such as example.com/],
    [{ CIDERMILL_OIDC_ALLOWED_DOMAINS: '*.example.com' }, /domains such as example.com/],
  ];
  for (const [change, problem] of wrong) t.throws(() => readConfig({ ...whole, ...change }), problem);
  const secret = { ...whole, CIDERMILL_OIDC_CLIENT_SECRET: 'hidden\u0000' };
  t.throws(() => readConfig(secret), /CLIENT_SECRET: expected visible/);
  t.notMatch(String(t.throws(() => readConfig(secret))), 'hidden', 'it is not quoted');
});
