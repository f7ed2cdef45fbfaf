// Runs checks. Each one answers, whatever the tools of this machine print.
import { isVirtual } from '../../shared/drivers.js';
import { findingFix } from '../../shared/messages/finding-fixes.js';
import { finding } from '../../shared/messages/findings.js';
import { within } from '../system/within.js';
import { type Check, type CheckedHost, notApplicable, type Outcome, UnreadableError, warning } from './check.js';
import type { Finding } from './report.js';

/** A check that takes longer is given up: a tool that hangs must not hold up the others. */
const PATIENCE_MS = 30_000;

/** Runs the checks at the same time; returns their findings in the order of the checks. */
export function runChecks(host: CheckedHost, checks: readonly Check[]): Promise<Finding[]> {
  return Promise.all(checks.map((check) => runCheck(host, check)));
}

export async function runCheck(host: CheckedHost, check: Check): Promise<Finding> {
  const outcome = reasonToSkip(host, check) ?? (await within(guarded(host, check), host.clock, PATIENCE_MS, LATE));
  const { repairs, ...told } = outcome;
  const name = check.name?.(host) ?? check.check.replaceAll('_', ' ');
  return {
    check: check.check,
    name,
    ok: told.status !== 'failed',
    automatic: repairs.length > 0,
    ...told,
    repairs,
  };
}

function reasonToSkip({ isMac, driver }: CheckedHost, { needs, drivers }: Check): Outcome | null {
  if (needs === 'macos' && !isMac) return notApplicable('only on macOS');
  const kind = !isVirtual(driver.kind) ? 'local' : 'vm';
  return drivers === 'all' || drivers === kind ? null : notApplicable(`not with the driver ${driver.kind}`);
}

const SEE = findingFix('compare_by_hand');
const LATE = warning(finding('no_answer', { seconds: PATIENCE_MS / 1000 }), SEE);

async function guarded(host: CheckedHost, check: Check): Promise<Outcome> {
  try {
    return await check.look(host);
  } catch (error) {
    if (error instanceof UnreadableError) return warning(error.found, SEE);
    const detail = error instanceof Error ? error.message : String(error);
    return warning(finding('check_failed', { detail }), SEE);
  }
}
