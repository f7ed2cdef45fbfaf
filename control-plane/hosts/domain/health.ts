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

/**
 * Returns the health in a few words, with the names of failed checks.
 *
 * @example healthText(health) // 'failed: sleep, filevault; 1 warning'
 */
export function healthText(health: HostHealth | null): string {
  if (worstOf(health) === null) return 'unknown';
  const problems = problemsOf(health);
  const failed = failedChecks(health);
  const warnings = problems.length - failed.length;
  const parts = [
    ...(failed.length === 0 ? [] : [`failed: ${failed.join(', ')}`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ];
  return parts.join('; ') || 'ok';
}
