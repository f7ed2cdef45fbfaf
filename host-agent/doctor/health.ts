// What the daemon reports of this host to the control plane: the findings of all checks that apply to it.
import type { HealthFinding } from '../../shared/protocol/index.js';
import type { CheckedHost } from './check.js';
import { checks } from './checks/table.js';
import { runChecks } from './run-checks.js';

/** Never rejects: a check that cannot be made is a finding too. */
export async function healthOf(host: CheckedHost): Promise<HealthFinding[]> {
  const findings = await runChecks(host, checks);
  return findings.flatMap(({ check, status, found, fix, messages }) =>
    status === 'not_applicable'
      ? []
      : { check, status, found, fix, found_message: messages?.found, fix_message: messages?.fix },
  );
}
