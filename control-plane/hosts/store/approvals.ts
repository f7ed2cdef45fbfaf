// Machines that wait until an operator approves their code.
import { int, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const approvals = table('host_approvals', {
  /** Of the credential that the machine has made. */
  credentialHash: text(),
  code: text(),
  name: text(),
  /** The address from which it asked. */
  ip: text(),
  os: text(),
  chip: text(),
  agentVersion: text(),
  expiresAt: int(),
  createdAt: int(),
});
export type Approval = Selected<typeof approvals>;

export const insertApproval = approvals.inserter({});

/** Returns the machine if it still waits. */
export function findApproval(q: Queries, credentialHash: string, now: number): Promise<Approval | null> {
  return approvals.get(q, 'WHERE credential_hash = :credentialHash AND expires_at > :now', {
    credentialHash,
    now,
  });
}

/** Returns the machines that wait, oldest first. */
export function listApprovals(q: Queries, now: number): Promise<Approval[]> {
  return approvals.all(q, 'WHERE expires_at > :now ORDER BY created_at, credential_hash', { now });
}

/** Returns false when it no longer waits. */
export async function deleteApproval(q: Queries, credentialHash: string): Promise<boolean> {
  const { changes } = await q.run('DELETE FROM host_approvals WHERE credential_hash = :credentialHash', {
    credentialHash,
  });
  return changes === 1;
}

export const purgeApprovals = purgeOf('host_approvals', {
  key: 'credential_hash',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
