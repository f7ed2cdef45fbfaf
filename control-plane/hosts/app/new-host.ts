// Adds a machine as a host.
import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Labels } from '../domain/host-labels.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, wakeForHost } from './host-changes.js';
import { fillSlots } from './host-settings.js';

export const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
export const newSecret = (prefix: string) => prefix + randomBytes(32).toString('base64url');

export interface NewHost {
  readonly name: string;
  /** Null: the host is pending until an operator has set one and approved it. */
  readonly tier: string | null;
  readonly slots: number;
  readonly labels: Labels;
  readonly credentialHash: string;
  /** The token that enrolled it; null: an operator approved its code. */
  readonly enrolmentId: string | null;
}

/**
 * @throws ApiError invalid_enrolment_token when the credential is that of a removed host
 * @throws ConstraintError when the tier does not exist
 */
export async function addHost(
  tx: Transaction,
  { clock, wake }: Pick<HostsDeps, 'clock' | 'wake'>,
  { slots, ...host }: NewHost,
): Promise<{ hostId: string; name: string }> {
  const hostId = newId('host');
  const status = host.tier === null ? 'pending' : 'active';
  if (await rows.isCredentialTaken(tx, host.credentialHash)) {
    const message = 'The host of this credential was removed. Repeat the command, which makes a new credential.';
    throw new ApiError('invalid_enrolment_token', { message });
  }
  await rows.insertHost(tx, { ...host, hostId, status, enrolledSlots: slots, now: clock.now() });
  if (host.tier !== null) await fillSlots(tx, clock, hostId, host.tier, slots);
  wakeForHost(tx, wake, hostId);
  return { hostId, name: host.name };
}
