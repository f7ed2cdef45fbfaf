// What operators read of a host's health.
import t from 'tap';
import { healthText, isUnhealthy, problemsOf, worstOf } from '../../control-plane/hosts/domain/health.js';
import type { HealthFinding } from '../../shared/protocol/index.js';

const finding = (check: string | null, status: HealthFinding['status']): HealthFinding => ({
  ...{ check, status },
  ...{ found: 'x', fix: null },
});
const health = (...findings: HealthFinding[]) => ({ checked_at: 1, findings });

t.test('the worst finding decides, and warnings do not make a host unhealthy', async (t) => {
  const cases = [
    [null, null, false, 'unknown'],
    [health(), null, false, 'unknown'],
    [health(finding('disk', 'ok')), 'ok', false, 'ok'],
    [health(finding('disk', 'ok'), finding('clock', 'warning')), 'warning', false, '1 warning'],
    [health(finding('a', 'warning'), finding('b', 'warning')), 'warning', false, '2 warnings'],
    [health(finding('sleep', 'failed'), finding('disk', 'ok')), 'failed', true, 'failed: sleep'],
    [
      health(finding('clock', 'warning'), finding('sleep', 'failed'), finding(null, 'failed')),
      ...['failed', true, 'failed: sleep, unknown; 1 warning'],
    ],
  ] as const;
  for (const [given, worst, unhealthy, text] of cases) {
    t.equal(worstOf(given), worst, text);
    t.equal(isUnhealthy(given), unhealthy, text);
    t.equal(healthText(given), text);
  }
  const listed = health(finding('clock', 'warning'), finding('disk', 'ok'), finding('sleep', 'failed'));
  t.same(
    problemsOf(listed).map(({ check }) => check),
    ['sleep', 'clock'],
  );
  t.equal(listed.findings[0]?.check, 'clock', 'the list itself stays as it was');
});
