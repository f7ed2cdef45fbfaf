// Limits of one account, set by an operator while the service is running.
// Runs in: soak
import t from 'tap';
import {
  accountLimitNames,
  accountLimitTable,
  checkAccountLimits,
} from '../../control-plane/platform/domain/account-limits.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { printedBy } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';

const GIB = 1024 ** 3;

const run = (service: Pick<Harness, 'data'>, argv: string[]) => printedBy([...argv, '--data', service.data]);

const defaults = Object.fromEntries(
  accountLimitNames.map((name) => [name, defaultLimits[accountLimitTable[name].fallback]]),
);

t.test('an account has the default limits until an operator sets others, which apply immediately', async (t) => {
  const service = await startHarness(t, { limits: { requests_per_minute: 300 } });
  const limits = async (key?: string) =>
    (await service.call('GET', '/me', key === undefined ? {} : { key })).json().limits;
  t.match(await limits(), defaults);
  t.match(defaults, {
    contents_bytes: 50 * GIB,
    artifacts_bytes: 50 * GIB,
    logs_bytes: 20 * GIB,
    parked_requests: 50,
    concurrent_uploads: 8,
    account_requests_per_minute: 300,
  });

  const { orgId } = service.org;
  const every = accountLimitNames.flatMap((name, i) => [`--${accountLimitTable[name].option}`, String(i + 2)]);
  t.match(await run(service, ['org', 'set-limits', orgId, ...every]), { code: 0 });
  const set = Object.fromEntries(
    accountLimitNames.map((name, i) => [name, (i + 2) * (accountLimitTable[name].unit?.size ?? 1)]),
  );
  t.match(await limits(), set);
  t.match(await limits(service.other.key), defaults, 'other accounts are unchanged');

  await run(service, ['org', 'set-limits', orgId, '--logs-gb', '0.5']);
  t.match(await limits(), { ...set, logs_bytes: GIB / 2 }, 'the other limits are unchanged');
  const shown = JSON.parse((await run(service, ['org', 'show', orgId, '--json'])).out);
  t.match(shown, { org_id: orgId, limits: { ...set, logs_bytes: GIB / 2 } });
  const { out } = await run(service, ['org', 'show', 'apple-press']);
  t.match(out, /logs of builds +0 GiB of 0\.5 GiB +default 20 GiB/);
  await run(service, ['org', 'set-limits', orgId, '--reset', '--contents-gb', '7']);
  t.match(await limits(), { ...defaults, contents_bytes: 7 * GIB });
  const none = JSON.parse((await run(service, ['org', 'set-limits', orgId, '--reset', '--json'])).out);
  t.same(none.changed_limits, {});
  t.match(await limits(), defaults);
});

t.test('a session of the console sees the limits of its organization', async (t) => {
  const service = await startHarness(t);
  await run(service, ['org', 'set-limits', service.org.orgId, '--parked-requests', '3']);
  const cookie = await service.signIn('developer');
  const answer = await service.inject({
    url: `/api/runner/v1/organizations/${service.org.orgId}/agent/me`,
    headers: { cookie },
  });
  t.match(answer.json(), { limits: { parked_requests: 3, concurrent_uploads: 8 } });
});

t.test('an invalid limit changes nothing', async (t) => {
  const service = await startHarness(t);
  const before = (await service.call('GET', '/me')).json().limits;
  const { orgId } = service.org;
  for (const words of [
    ['--contents-gb', '-1'],
    ['--contents-gb', '50GB'],
    ['--contents-gb', '1e9'],
    ['--contents-gb', ''],
    ['--logs-gb', '99999999'],
    ['--parked-requests', '1.5'],
    ['--concurrent-uploads', 'many'],
    ['--content-gb', '5'],
  ]) {
    t.match(await run(service, ['org', 'set-limits', orgId, ...words]), { code: 64, out: '' }, words.join(' '));
  }
  const missing = await run(service, ['org', 'set-limits', orgId]);
  t.match(missing, { code: 65, err: /contents_gb.*reset/ });
  t.match(await run(service, ['org', 'set-limits', 'nobody', '--reset']), { code: 65 });
  t.match(await run(service, ['org', 'show', 'nobody']), { code: 65, err: /There is no organization nobody/ });
  t.same((await service.call('GET', '/me')).json().limits, before);
});

t.test('limits that another version stored are ignored', async (t) => {
  t.same(checkAccountLimits({ logs_bytes: 5, sandwiches: 7, contents_bytes: 'all', parked_requests: null }), {
    logs_bytes: 5,
  });
  t.throws(() => checkAccountLimits(null));
});
