// Enrolment of hosts with tokens.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { EnrolRequest, EnrolResponse } from '../../../shared/protocol/index.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Host } from '../domain/host.js';
import { changedLabels, type Labels } from '../domain/host-labels.js';
import * as tokenRows from '../store/enrolment-tokens.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, noSuchTier } from './host-changes.js';
import { checkSlots } from './host-settings.js';
import { addHost, hashOf, newSecret } from './new-host.js';

export type EnrolmentToken = tokenRows.EnrolmentToken;

export interface EnrolmentRequest {
  /** Default: the machine's name. */
  name?: string | undefined;
  /** Without a tier the host waits for an operator's approval. */
  tier?: string | undefined;
  /** Maximum number of Macs on the host at a time, 1 to `host_slots`. */
  slots: number;
  labels?: Labels;
  /** Enrolls several hosts, until `until` (ms). Default: one host, within `enrolment_ms`. */
  reusable?: { readonly uses: number; readonly until: number };
}

/** Called in the transaction that enrolls the host. */
export type Enrolled = (tx: Transaction, hostId: string) => Promise<void>;

export function createEnrolments(deps: HostsDeps) {
  const { store, clock, limits } = deps;

  const validity = ({ reusable }: EnrolmentRequest): { uses: number; expiresAt: number } => {
    const now = clock.now();
    if (reusable === undefined) return { uses: 1, expiresAt: now + limits.enrolment_ms };
    const { uses, until: expiresAt } = reusable;
    if (!Number.isInteger(uses) || uses < 1 || uses > limits.enrolment_uses) {
      const problem = fieldProblem('not_between', { least: 1, most: limits.enrolment_uses });
      throw fieldError('invalid_request', 'uses', problem);
    }
    const latest = now + limits.reusable_enrolment_ms;
    if (!(expiresAt > now && expiresAt <= latest)) {
      const isLate = expiresAt > now;
      const problem = isLate ? fieldProblem('too_late', { latest: isoTime(latest) }) : fieldProblem('in_the_past');
      throw fieldError('invalid_request', 'until', problem, {
        message: `until must be in the future, and at the latest ${isoTime(latest)}.`,
      });
    }
    return { uses, expiresAt };
  };

  return {
    /**
     * Creates a token with which a machine, or several, can enroll as hosts. `token` is shown only here. `done` runs in the
     * transaction, with the id of the token.
     *
     * @example
     * const { token } = await hosts.createEnrolment({ tier: 'm2', slots: 2 });
     * // on the Mac, with the token on standard input: cidermill host-agent enroll --url https://macs.example
     */
    async createEnrolment(
      request: EnrolmentRequest,
      done?: InTransaction<string>,
    ): Promise<{ token: string; id: string; uses: number; expires_at: string }> {
      checkSlots(request.slots, limits);
      const token = newSecret('cme_');
      const enrolmentId = newId('enr');
      const { uses, expiresAt } = validity(request);
      await store
        .transaction(async (tx) => {
          const present = await tokenRows.listTokens(tx, clock.now());
          if (present.length >= limits.enrolment_tokens) {
            const message = `There are ${present.length} enrollment tokens that have not expired; wait until some have.`;
            throw new ApiError('invalid_request', { message });
          }
          await tokenRows.insertToken(tx, {
            tokenHash: hashOf(token),
            enrolmentId,
            uses,
            expiresAt,
            createdAt: clock.now(),
            name: request.name ?? null,
            tier: request.tier ?? null,
            slots: request.slots,
            labels: changedLabels(request.labels ?? {}, {}),
            reusable: request.reusable !== undefined,
          });
          await done?.(tx, enrolmentId);
        })
        .catch(noSuchTier);
      return { token, id: enrolmentId, uses, expires_at: isoTime(expiresAt) };
    },

    /** Returns the tokens that have not expired, newest first; never their secrets. */
    enrolmentTokens: (): Promise<EnrolmentToken[]> => tokenRows.listTokens(store, clock.now()),

    /** Hosts that it has enrolled stay. `done` runs in the transaction. Throws not_found. */
    revokeEnrolment(enrolmentId: string, done?: InTransaction<EnrolmentToken>): Promise<EnrolmentToken> {
      return store.transaction(async (tx) => {
        const token = await tokenRows.revokeToken(tx, enrolmentId, clock.now());
        if (!token) throw new ApiError('not_found', { message: `There is no token ${enrolmentId}.` });
        await done?.(tx, token);
        return token;
      });
    },

    /**
     * Exchanges a token for a host. Concurrent requests never use a token more often than it permits. A request with the
     * credential of a host that a valid token has enrolled returns that host, and uses nothing.
     */
    enrol(
      { token, hostname, credential_hash: given }: EnrolRequest,
      enrolled: Enrolled = async () => {},
    ): Promise<EnrolResponse> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const tokenHash = hashOf(token);
        const found = await tokenRows.findToken(tx, tokenHash);
        if (!found) throw new ApiError('invalid_enrolment_token');
        const known = given === undefined ? null : await rows.findHostByCredential(tx, given);
        if (known && (known.enrolmentId === found.enrolmentId || reasonAgainst(found, now) === null)) {
          return { host_id: known.hostId, name: known.name, credential: null };
        }
        if (!(await tokenRows.useToken(tx, tokenHash, now))) {
          throw new ApiError('invalid_enrolment_token', { message: reasonAgainst(found, now) ?? undefined });
        }
        const credential = given === undefined ? newSecret('cmh_') : null;
        const host = await addHost(tx, deps, {
          name: found.name ?? hostname,
          tier: found.tier,
          slots: found.slots,
          enrolmentId: found.enrolmentId,
          labels: found.labels,
          credentialHash: given ?? hashOf(credential ?? ''),
        });
        await enrolled(tx, host.hostId);
        return { host_id: host.hostId, name: host.name, credential };
      });
    },

    /** Returns the host of a credential; null when there is none or the host has been removed. */
    authenticate(credential: string): Promise<Host | null> {
      return rows.findHostByCredential(store, hashOf(credential));
    },
  };
}

/** Returns why the token cannot be used, or null if it can. Only a caller that has the token gets the reason. */
function reasonAgainst({ revokedAt, expiresAt, used, uses }: EnrolmentToken, now: number): string | null {
  const advice = 'Make a new one with "cidermill admin host enroll".';
  if (revokedAt !== null) return `The enrollment token was revoked. ${advice}`;
  if (expiresAt <= now) return `The enrollment token expired at ${isoTime(expiresAt)}. ${advice}`;
  return used < uses ? null : `The enrollment token is used up (${used} of ${uses}). ${advice}`;
}
