// Enrolment of machines that wait until an operator approves the code that they show.
import type { ApprovalRequest } from '../../../shared/protocol/index.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { clientBlock } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import { newApprovalCode, parseApprovalCode, sameCode } from '../domain/approval-code.js';
import type { Host } from '../domain/host.js';
import { changedLabels, type Labels } from '../domain/host-labels.js';
import * as approvalRows from '../store/approvals.js';
import * as rows from '../store/hosts.js';
import { type HostsDeps, noSuchTier } from './host-changes.js';
import { checkSlots } from './host-settings.js';
import { addHost, hashOf } from './new-host.js';

export type Approval = approvalRows.Approval;

/** Absent: the machine's name; no tier, so that the host waits for one; 2 slots. */
export interface ApprovalTerms {
  readonly name?: string | undefined;
  readonly tier?: string | undefined;
  readonly slots?: number | undefined;
  readonly labels?: Labels | undefined;
}

const SLOTS = 2;
const RETRY_S = 60;

export function createApprovals(deps: HostsDeps) {
  const { store, clock, limits } = deps;

  /** Throws rate_limited when too many machines wait, in all or of one address. */
  const checkRoom = (waiting: readonly Approval[], ip: string) => {
    const block = clientBlock(ip);
    const same = waiting.filter((one) => clientBlock(one.ip) === block).length;
    if (waiting.length < limits.approvals && same < limits.approvals_per_address) return;
    const message = 'Too many machines wait for approval. Approve those that wait, or use a token.';
    throw new ApiError('rate_limited', { message, retryAfterS: RETRY_S });
  };

  const unusedCode = (waiting: readonly Approval[]): string => {
    for (;;) {
      const code = newApprovalCode();
      if (waiting.every((one) => one.code !== code)) return code;
    }
  };

  const waitingWith = (waiting: readonly Approval[], code: string): Approval | null => {
    // Compares the code with all of them, so that the response time reveals nothing about the codes of other machines.
    const found = waiting.filter((one) => sameCode(one.code, code));
    return found[0] ?? null;
  };

  return {
    /** Lets a machine wait for approval. It gets the same code again while that is valid. */
    async requestApproval(request: ApprovalRequest, ip: string): Promise<Approval> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const { credential_hash: credentialHash, hostname, os, chip, agent_version: agentVersion } = request;
        const present = await approvalRows.findApproval(tx, credentialHash, now);
        if (present) return present;
        const waiting = await approvalRows.listApprovals(tx, now);
        checkRoom(waiting, ip);
        await approvalRows.deleteApproval(tx, credentialHash);
        const approval = {
          credentialHash,
          code: unusedCode(waiting),
          name: hostname,
          ip,
          os,
          chip,
          agentVersion,
          expiresAt: now + limits.approval_ms,
          createdAt: now,
        };
        await approvalRows.insertApproval(tx, approval);
        return approval;
      });
    },

    /** Returns the host once it is approved; null while the machine waits. Throws invalid_enrolment_token otherwise. */
    async approvedHost(credential: string): Promise<Host | null> {
      const hash = hashOf(credential);
      const host = await rows.findHostByCredential(store, hash);
      if (host) return host;
      if (await approvalRows.findApproval(store, hash, clock.now())) return null;
      throw new ApiError('invalid_enrolment_token', {
        message: 'The code has expired, or this machine never asked for one. Repeat the command.',
      });
    },

    /** Returns the machines that wait, oldest first. */
    approvals: (): Promise<Approval[]> => approvalRows.listApprovals(store, clock.now()),

    /** Returns the machine that shows the code, or null. The text may be anything. */
    async findApproval(text: string): Promise<Approval | null> {
      const code = parseApprovalCode(text);
      return code === null ? null : waitingWith(await approvalRows.listApprovals(store, clock.now()), code);
    },

    /**
     * Makes the machine that shows the code a host. `done` runs in the transaction.
     *
     * @throws ApiError host_not_found, invalid_tier, invalid_request
     */
    async approveCode(
      code: string,
      { name, tier, slots = SLOTS, labels = {} }: ApprovalTerms,
      done?: InTransaction<Host>,
    ): Promise<Host> {
      checkSlots(slots, limits);
      const checked = changedLabels(labels, {});
      const work = async (tx: Transaction): Promise<Host> => {
        const waiting = waitingWith(await approvalRows.listApprovals(tx, clock.now()), code);
        if (!waiting) throw new ApiError('host_not_found', { message: `No machine waits with the code ${code}.` });
        const { credentialHash } = waiting;
        await approvalRows.deleteApproval(tx, credentialHash);
        const added = {
          name: name ?? waiting.name,
          tier: tier ?? null,
          slots,
          labels: checked,
          credentialHash,
        };
        const { hostId } = await addHost(tx, deps, { ...added, enrolmentId: null });
        const host = await rows.findHost(tx, hostId);
        if (!host) throw new Error('the host that was just added is missing');
        await done?.(tx, host);
        return host;
      };
      return store.transaction(work).catch(noSuchTier);
    },
  };
}
