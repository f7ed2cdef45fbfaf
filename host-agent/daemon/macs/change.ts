// Carries out the steps of `plan.ts`, one change of a slot at a time. If it is killed, the next daemon starts it
// again: the steps that were reached are in the Mac's record, which is written last.
import type { DesiredMac, MacProgress } from '../../../shared/protocol/index.js';
import {
  type MacDriver,
  type MacRecord,
  NewMacNeededError,
  NotInstalledError,
  type Percent,
} from '../../driver/driver.js';
import { haveOf, isReached, isSameMac, type MacStep, planOf, progressOf } from './plan.js';

export type ChangeDriver = Pick<
  MacDriver,
  | 'listMacs'
  | 'create'
  | 'start'
  | 'remove'
  | 'emptyWork'
  | 'repair'
  | 'selectXcode'
  | 'installRuntime'
  | 'installTool'
  | 'saveRecord'
>;

export type MacChanges = ReturnType<typeof createMacChanges>;

/** @param sweep deletes other remains of removed Macs; called before another Mac is created */
export function createMacChanges(driver: ChangeDriver, sweep: () => Promise<void> = async () => {}) {
  const turns = new Map<string, Promise<void>>();

  const inTurn = (slotId: string, change: () => Promise<void>): Promise<void> => {
    const mine = (turns.get(slotId) ?? Promise.resolve()).then(change, change);
    turns.set(slotId, mine);
    return mine.finally(() => turns.get(slotId) === mine && turns.delete(slotId));
  };

  const remove = async (slotId: string) => {
    await driver.remove(slotId);
    await sweep();
  };

  const bring = async (want: DesiredMac, report: (progress: MacProgress) => void) => {
    const { slot_id: slotId } = want;
    const held = (await driver.listMacs()).find((mac) => mac.slot_id === slotId);
    const have = haveOf(held);
    const steps = planOf(have, want, held?.stopped);
    if (steps.length === 0 && isReached(have, want)) return;
    const kept = isSameMac(have, want) ? have : null;
    let reached: MacRecord = { ...bare(want), ...(kept ?? {}) };

    const perform = async (step: MacStep, percent: Percent) => {
      switch (step.do) {
        case 'remove':
          return driver.remove(slotId);
        case 'create':
          await sweep();
          return driver.create(want, percent);
        case 'start':
          return driver.start(slotId, percent);
        case 'empty_work':
          return driver.emptyWork(slotId);
        case 'repair':
          return driver.repair(slotId);
        case 'xcode':
          await driver.selectXcode(slotId, step.version);
          reached = { ...reached, xcode: step.version };
          return;
        case 'runtime':
          await driver.installRuntime(slotId, step.name, percent);
          reached = { ...reached, runtimes: [...reached.runtimes, step.name] };
          return;
        case 'tool':
          await driver.installTool(slotId, step.name, percent);
          reached = { ...reached, tools: [...reached.tools, step.name] };
      }
    };

    for (const [index, step] of steps.entries()) {
      const tell: Percent = (percent, image) => {
        const progress = progressOf(steps, index, percent, image);
        if (progress) report(progress);
      };
      tell(0);
      try {
        await perform(step, tell);
      } catch (error) {
        if (step.do === 'repair' || error instanceof NewMacNeededError) {
          // Without its record it counts as a Mac whose creation was interrupted, also for the next daemon.
          await driver.remove(slotId);
          return bring(want, report);
        }
        const unsure = step.do === 'xcode' && !(error instanceof NotInstalledError);
        if (kept) await settle(slotId, kept, reached, unsure || reached.xcode !== kept.xcode);
        throw error;
      }
    }
    await driver.saveRecord(slotId, { ...reached, revision: want.revision });
  };

  /** After a failed change: the Mac stays as it was, and its record notes what was installed meanwhile. */
  const settle = async (slotId: string, kept: MacRecord, known: MacRecord, xcodeTouched: boolean) => {
    let { xcode } = kept;
    if (xcodeTouched && xcode !== null) {
      xcode = await driver.selectXcode(slotId, xcode).then(
        () => kept.xcode,
        // The first error is reported; which Xcode is selected is unknown now.
        () => null,
      );
    }
    const settled = { ...known, xcode, revision: kept.revision };
    if (JSON.stringify(settled) !== JSON.stringify(kept)) await driver.saveRecord(slotId, settled);
  };

  return {
    /**
     * Makes the Mac as desired. Idempotent. A changed generation or rental creates it again, and so does a repair that
     * cannot be done in place.
     *
     * @throws NotInstalledError what is wanted is not on this host; after any other error it may be tried again
     * @example await createMacChanges(driver).bring(desired, (progress) => console.log(progress.step));
     */
    bring: (want: DesiredMac, report: (progress: MacProgress) => void) =>
      inTurn(want.slot_id, () => bring(want, report)),
    /** Empties the slot. */
    remove: (slotId: string) => inTurn(slotId, () => remove(slotId)),
  };
}

function bare(want: DesiredMac): MacRecord {
  const { rental_id, account_id, generation, revision } = want;
  return { rental_id, account_id, generation, revision, xcode: null, runtimes: [], tools: [] };
}
