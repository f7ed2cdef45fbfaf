// Enrolment of hosts: exchanges a one-time token for a credential.
import { createHash, randomBytes } from 'node:crypto';
import type { EnrolRequest, EnrolResponse } from '../../../shared/protocol/index.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Host } from '../domain/host.js';
import * as enrolmentRows from '../store/enrolments.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, noSuchTier, wakeForHost } from './host-changes.js';
import { checkSlots, fillSlots } from './host-settings.js';

export interface EnrolmentRequest {
  /** Default: the machine's name. */
  name?: string | undefined;
  /** Without a tier the host waits for an operator's approval. */
  tier?: string | undefined;
  /** Maximum number of Macs on the host at a time, 1 to `host_slots`. */
  slots: number;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const secret = (prefix: string) => prefix + randomBytes(32).toString('base64url');

export function createEnrolments({ store, clock, wake, limits }: HostsDeps) {
  return {
    /**
     * Creates a one-time token with which a machine can enrol as a host.
     *
     * @example
     * const { token } = await hosts.createEnrolment({ tier: 'm2', slots: 2 });
     * // on the Mac, with the token on standard input: cidermill host-agent enroll --url https://macs.example
     */
    async createEnrolment(request: EnrolmentRequest): Promise<{ token: string; expires_at: string }> {
      checkSlots(request.slots, limits);
      const token = secret('cme_');
      const now = clock.now();
      const expiresAt = now + limits.enrolment_ms;
      await store
        .transaction((tx) =>
          enrolmentRows.insertEnrolment(tx, {
            tokenHash: sha256(token),
            name: request.name ?? null,
            tier: request.tier ?? null,
            slots: request.slots,
            expiresAt,
            now,
          }),
        )
        .catch(noSuchTier);
      return { token, expires_at: new Date(expiresAt).toISOString() };
    },

    /** Exchanges a token for a host and its credential. Of two concurrent requests with the same token only one succeeds. */
    enrol({ token, hostname }: EnrolRequest): Promise<EnrolResponse> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const tokenHash = sha256(token);
        const enrolment = await enrolmentRows.findEnrolment(tx, tokenHash, now);
        if (!enrolment) throw new ApiError('invalid_enrolment_token');
        const { tier, slots } = enrolment;
        const hostId = newId('host');
        const credential = secret('cmh_');
        const name = enrolment.name ?? hostname;
        const status = tier === null ? 'pending' : 'active';
        await rows.insertHost(tx, { hostId, name, tier, credentialHash: sha256(credential), status, now });
        if (tier !== null) await fillSlots(tx, clock, hostId, tier, slots);
        const used = await enrolmentRows.useEnrolment(tx, tokenHash, hostId, now);
        if (!used) throw new ApiError('invalid_enrolment_token');
        wakeForHost(tx, wake, hostId);
        return { host_id: hostId, name, credential };
      });
    },

    /** Returns the host of a credential; null when there is none or the host has been removed. */
    authenticate(credential: string): Promise<Host | null> {
      return rows.findHostByCredential(store, sha256(credential));
    },
  };
}
