// The health of a host, as its doctor reports it. It is for operators only: an unhealthy host still gets builds and Macs.
// Problems that prevent work are reported separately: `blocked`, and too little disk space (`disk_low`).
import type { HealthFinding, HostHealth } from '../../../shared/protocol/index.js';

export type HealthStatus = HealthFinding['status'];

const ORDER: readonly HealthStatus[] = ['ok', 'warning', 'failed'];

/** Returns the worst status of all findings; null when the host has reported none. */
export function worstOf(health: HostHealth | null): HealthStatus | null {
  if (health === null || health.findings.length === 0) return null;
  const worst = Math.max(...health.findings.map(({ status }) => ORDER.indexOf(status)));
  return ORDER[worst] ?? null;
}

/** Returns whether a check has failed. Warnings do not make a host unhealthy. */
export function isUnhealthy(health: HostHealth | null): boolean {
  return worstOf(health) === 'failed';
}

/** Returns the findings that are not ok, the failed ones first. */
export function problemsOf(health: HostHealth | null): HealthFinding[] {
  const problems = (health?.findings ?? []).filter(({ status }) => status !== 'ok');
  return problems.sort((a, b) => ORDER.indexOf(b.status) - ORDER.indexOf(a.status));
}

/** Returns the names of the checks that have failed. */
export const failedChecks = (health: HostHealth | null): string[] =>
  (health?.findings ?? []).filter(({ status }) => status === 'failed').map(({ check }) => check ?? 'unknown');
