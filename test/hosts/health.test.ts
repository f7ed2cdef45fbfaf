// What operators read of a host's health.
import t from 'tap';
import { failedChecks, isUnhealthy, problemsOf, worstOf } from '../../control-plane/hosts/domain/health.js';
import { findingView } from '../../control-plane/start/http/fleet-view.js';
import { findingFix } from '../../shared/messages/finding-fixes.js';
import { finding as foundBy } from '../../shared/messages/findings.js';
import { uncoded } from '../../shared/messages/message.js';
import { type HealthFinding, healthFinding } from '../../shared/protocol/health.js';

const finding = (check: string | null, status: HealthFinding['status']): HealthFinding => ({
  check,
  status,
  found: 'x',
  fix: null,
});
const health = (...findings: HealthFinding[]) => ({ checked_at: 1, findings });

t.test('the worst finding decides, and warnings do not make a host unhealthy', async (t) => {
  const cases = [
    [null, null, false, []],
    [health(), null, false, []],
    [health(finding('disk', 'ok')), 'ok', false, []],
    [health(finding('disk', 'ok'), finding('clock', 'warning')), 'warning', false, []],
    [health(finding('sleep', 'failed'), finding('disk', 'ok')), 'failed', true, ['sleep']],
    [
      health(finding('clock', 'warning'), finding('sleep', 'failed'), finding(null, 'failed')),
      'failed',
      true,
      ['sleep', 'unknown'],
    ],
  ] as const;
  for (const [given, worst, unhealthy, failed] of cases) {
    const which = JSON.stringify(given);
    t.equal(worstOf(given), worst, which);
    t.equal(isUnhealthy(given), unhealthy, which);
    t.same(failedChecks(given), failed, which);
  }
  const listed = health(finding('clock', 'warning'), finding('disk', 'ok'), finding('sleep', 'failed'));
  t.same(
    problemsOf(listed).map(({ check }) => check),
    ['sleep', 'clock'],
  );
  t.equal(listed.findings[0]?.check, 'clock', 'the list itself stays as it was');
});

t.test('findings are messages; of an older host they are texts', async (t) => {
  const said = {
    check: 'sleep',
    status: 'failed',
    found: 'sleeps after 10 min',
    found_message: foundBy('sleeps', { minutes: 10 }),
    fix: 'See the check certificate.',
    fix_message: findingFix('see_certificate'),
  };
  const read = healthFinding.parse(said);
  t.match(findingView(read), said);
  const { found_message, fix_message, ...older } = said;
  t.same(findingView(healthFinding.parse(older)), {
    ...older,
    found_message: uncoded(older.found),
    fix_message: uncoded(older.fix),
  });
  const wrong = healthFinding.parse({ ...said, found_message: 'no message', fix_message: { code: 7 } });
  t.match(findingView(wrong), { found_message: uncoded(said.found), fix_message: uncoded(said.fix) });
  t.equal(findingView(healthFinding.parse({ ...older, fix: null })).fix_message, null);
});
