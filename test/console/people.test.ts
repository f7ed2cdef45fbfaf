// Pure parts of the pages about people: states of keys, browsers of sessions, filters of the audit log.
import t from 'tap';
import type { ApiKey } from '../../client/types.js';
import { auditQueryOf, parseAuditSearch } from '../../control-plane/console/data/audit.js';
import { deviceOf } from '../../control-plane/console/data/device.js';
import { stateOfKey } from '../../control-plane/console/data/keys.js';

t.test('the state of a key', async (t) => {
  const now = Date.parse('2026-03-01T09:00:00Z');
  const state = (more: Partial<ApiKey>) =>
    stateOfKey({ revoked_at: null, revoked_reason: null, expires_at: null, ...more } as ApiKey, now);
  t.equal(state({}), 'active');
  t.equal(state({ expires_at: '2026-03-01T09:00:00.001Z' }), 'active');
  t.equal(state({ expires_at: '2026-03-01T09:00:00.000Z' }), 'expired');
  t.equal(state({ revoked_at: '2026-02-01T00:00:00Z', revoked_reason: 'manual' }), 'revoked');
  t.equal(state({ revoked_at: '2026-02-01T00:00:00Z', revoked_reason: 'leaked' }), 'leaked');
});

t.test('browser and system of a session', async (t) => {
  const webkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
  for (const [agent, browser, system] of [
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.1 Safari/605.1.15`, 'Safari', 'macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit} CriOS/131.0 Mobile/15E148 Safari/604.1`,
      'Chrome',
      'iPhone',
    ],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0 Safari/537.36 Edg/131.0`, 'Edge', 'Windows'],
    [
      `Mozilla/5.0 (Linux; Android 14; SM-S921N) ${webkit} SamsungBrowser/27.0 Chrome/125.0 Safari/537.36`,
      'Samsung Internet',
      'Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox', 'Linux'],
    ['curl/8.5.0', 'curl', null],
    ['something else', null, null],
    [null, null, null],
  ] as const) {
    t.same(deviceOf(agent), { browser, system }, agent ?? 'none');
  }
});

t.test('filters of the audit log come from the address; unknown values are left out', async (t) => {
  const none = { actor: undefined, action: undefined, failed: undefined, since: undefined, until: undefined };
  t.same(parseAuditSearch({ failed: 'maybe', since: 'yesterday', until: '2026-3-1' }), none);
  const filters = parseAuditSearch({
    actor: 'ada@example.com',
    failed: 'true',
    since: '2026-02-28',
    until: '2026-02-28',
  });
  const query = auditQueryOf(filters);
  t.match(query, { actor: 'ada@example.com', failed: 'true' });
  t.equal(query.since, new Date(2026, 1, 28).toISOString(), 'the first moment of the day, here');
  t.equal(query.until, new Date(2026, 2, 1).toISOString(), 'up to the end of the day');
});
