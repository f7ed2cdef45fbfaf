// One change of a slot, from its begin to its success or failure.
import type { Log } from '../../../shared/log.js';
import type { DesiredMac, MacProgress } from '../../../shared/protocol/index.js';
import type { HostMac } from '../../driver/driver.js';
import type { MacAction } from '../reconcile-actions.js';
import type { MacChanges } from './change.js';
import { haveOf, planOf } from './plan.js';

export interface SlotChange {
  readonly desired: DesiredMac | undefined;
  /** No build can run in the slot during the change. */
  readonly disturbs: boolean;
  progress: MacProgress | null;
  done: Promise<void>;
}

/** Progress is reported at every new step, and within a step each time this many percent are done. */
const REPORTED_PERCENT = 5;

/**
 * Starts to create, change or remove the Mac of a slot.
 *
 * @param on.ended called with the error of a failed change, or with nothing; `done` resolves after it
 */
export function beginSlotChange(
  slot: { slotId: string; action: MacAction; desired: DesiredMac | undefined; present: HostMac | undefined },
  changes: MacChanges,
  log: Log,
  on: { progress: () => void; ended: (error?: unknown) => Promise<void> },
): SlotChange {
  const { slotId, action, desired, present } = slot;
  const steps = desired ? planOf(haveOf(present), desired, present?.stopped) : [];
  const target = action === 'ensure' ? desired : undefined;
  log.info(
    { slot_id: slotId, action, rental_id: desired?.rental_id, steps: steps.map((step) => step.do) },
    'changing a Mac',
  );
  const change: SlotChange = {
    desired: target,
    disturbs: steps.length > 0,
    progress: null,
    done: Promise.resolve(),
  };
  const report = (progress: MacProgress) => {
    const before = change.progress;
    change.progress = progress;
    const isNews =
      before?.step !== progress.step ||
      progress.percent - before.percent >= REPORTED_PERCENT ||
      // A percent of an image takes many seconds.
      JSON.stringify(before.image) !== JSON.stringify(progress.image);
    if (isNews) on.progress();
  };
  const work = target ? changes.bring(target, report) : changes.remove(slotId);
  change.done = work.then(() => on.ended(), on.ended);
  return change;
}
