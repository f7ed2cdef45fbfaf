// Requests for resets, Xcode changes and setups, of one Mac or several.
import { buildWarning } from '../../../shared/messages/build-warnings.js';
import type { Message } from '../../../shared/messages/message.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Mac } from '../domain/mac.js';
import { type Change, type ChangeDecision, decideChange, makesNewMac } from '../domain/maintenance.js';
import { readMacs } from '../store/macs.js';
import { type JobChangeDeps, openJob } from './job-changes.js';
import { checkedMacName, renameMac } from './mac-names.js';
import { findMacOf } from './macs.js';
import { newMacsOf } from './new-macs.js';

export interface MaintenanceDeps extends JobChangeDeps, Pick<Core, 'store' | 'limits'> {
  /** Called in the transaction of a change that does not wait for the Mac's build; `warning` is shown on the build. */
  readonly stopBuild: (tx: Transaction, buildId: string, warning: Message) => Promise<void>;
}

/** The result of a requested change of one Mac. */
export type MacResult = { readonly rentalId: string; readonly name: string } & (
  | { readonly result: 'accepted'; readonly jobId: string }
  | { readonly result: 'unchanged' }
  | Extract<ChangeDecision, { result: 'rejected' }>
);

export type AcceptedResult = Exclude<MacResult, { result: 'rejected' }>;

/** The result of a change of the name alone. */
export interface RenamedMac {
  readonly rentalId: string;
  readonly name: string;
  readonly result: 'renamed' | 'unchanged';
}

interface Target {
  readonly rentalId: string;
  readonly name: string;
  /** Null if the rental has ended. */
  readonly mac: Mac | null;
}

export type Maintenance = ReturnType<typeof createMaintenance>;

/** Explains to the owner why the build was canceled. */
const CANCELLED_FOR: Readonly<Record<Change['kind'], Message>> = {
  reset: buildWarning('stopped_for_reset'),
  xcode: buildWarning('stopped_for_xcode'),
  setup: buildWarning('stopped_for_setup'),
};

export function createMaintenance(deps: MaintenanceDeps) {
  const { store, clock, limits } = deps;

  const decide = async (tx: Transaction, mac: Mac | null, change: Change): Promise<ChangeDecision> => {
    const now = clock.now();
    const newMacs = mac && makesNewMac(change) ? await newMacsOf(tx, mac.rentalId, now, limits) : [];
    return decideChange(mac, change, newMacs, now, limits);
  };

  const apply = async (tx: Transaction, { rentalId, name, mac }: Target, change: Change): Promise<MacResult> => {
    const decision = await decide(tx, mac, change);
    if (decision.result !== 'accepted') return { rentalId, name, ...decision };
    if (!mac) throw new Error(`a change of ${rentalId} was accepted, which has ended`);
    if (decision.cancel && mac.buildId !== null) {
      await deps.stopBuild(tx, mac.buildId, CANCELLED_FOR[change.kind]);
    }
    const job = await openJob(tx, deps, mac, { ...change, start: decision.start });
    return { rentalId, name, result: 'accepted', jobId: job.jobId };
  };

  /** Throws rental_not_found. */
  const seen = async (
    tx: Transaction,
    accountId: number,
    macs: ReadonlyMap<string, Mac>,
    rentalId: string,
  ): Promise<Target> => {
    const mac = macs.get(rentalId) ?? null;
    const known = mac ?? (await findMacOf(tx, accountId, rentalId));
    if (!known) throw new ApiError('rental_not_found', { detail: { rental_id: rentalId } });
    return { rentalId, name: known.name, mac };
  };

  const macsOf = async (tx: Transaction, accountId: number) =>
    new Map((await readMacs(tx, accountId)).map((mac) => [mac.rentalId, mac]));

  return {
    /**
     * @throws ApiError rental_not_found, or the code of the refusal (macs/domain/maintenance.ts, `decideChange`)
     * @example
     * const change = { kind: 'reset', target: { keepCache: false }, when: null } as const;
     * const { jobId } = await maintenance.changeOne(caller, 'rt_1', change, record);
     */
    changeOne: (
      { account }: Caller,
      rentalId: string,
      change: Change,
      record: InTransaction<AcceptedResult>,
    ): Promise<AcceptedResult> =>
      store.transaction(async (tx) => {
        const target = await seen(tx, account.id, await macsOf(tx, account.id), rentalId);
        const result = accepted(await apply(tx, target, change));
        await record(tx, result);
        return result;
      }),

    /**
     * Renames a Mac in any state, and changes its setup if `change` is given; both or neither.
     *
     * @throws ApiError invalid_name, rental_not_found (also if it has ended), name_taken, or the code of the refusal
     */
    rename: (
      { account }: Caller,
      rentalId: string,
      text: string,
      change: Change | null,
      record: InTransaction<AcceptedResult | RenamedMac>,
    ): Promise<AcceptedResult | RenamedMac> => {
      const name = checkedMacName(text, 'name');
      return store.transaction(async (tx) => {
        const mac = (await macsOf(tx, account.id)).get(rentalId) ?? null;
        if (!mac) throw new ApiError('rental_not_found', { detail: { rental_id: rentalId } });
        const isNew = await renameMac(tx, deps, mac, name);
        const target = { rentalId, name, mac };
        const result =
          change === null
            ? { rentalId, name, result: isNew ? ('renamed' as const) : ('unchanged' as const) }
            : accepted(await apply(tx, target, change));
        await record(tx, result);
        return result;
      });
    },

    /**
     * Changes several Macs independently; a refused one does not affect the others.
     *
     * @param rentalIds null: every Mac of the account, including reserved ones
     * @throws ApiError rental_not_found, having changed nothing, if one of them is not the account's
     */
    changeSeveral: (
      { account }: Caller,
      rentalIds: readonly string[] | null,
      change: Change,
      record: InTransaction<readonly MacResult[]>,
    ): Promise<readonly MacResult[]> =>
      store.transaction(async (tx) => {
        const macs = await macsOf(tx, account.id);
        const targets: Target[] = [];
        for (const rentalId of new Set(rentalIds ?? macs.keys())) {
          targets.push(await seen(tx, account.id, macs, rentalId));
        }
        const results: MacResult[] = [];
        for (const target of targets) results.push(await apply(tx, target, change));
        await record(tx, results);
        return results;
      }),
  };
}

/** Throws the code of a refusal. */
function accepted(result: MacResult): AcceptedResult {
  if (result.result !== 'rejected') return result;
  const { reason, message, detail, retryAfterS } = result;
  throw new ApiError(reason, { message, detail, ...(retryAfterS === null ? {} : { retryAfterS }) });
}
