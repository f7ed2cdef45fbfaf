// The desired state that is sent to the host of a Mac.
import type { DesiredMac, MacFact } from '../../../shared/protocol/index.js';
import type { JobTarget } from './job.js';
import type { Mac } from './mac.js';
import { makesNewMac } from './maintenance.js';
import type { TierSpec } from './tier.js';

type Setup = Pick<Mac, 'xcode' | 'runtimes' | 'tools'>;

const runningJob = ({ openJob }: Mac) =>
  openJob?.status === 'running' && openJob.kind !== 'provision' ? { ...openJob, kind: openJob.kind } : null;

/**
 * Returns the Mac's setup with the target of its running job. What a new Mac cannot have, because the tier has another
 * image by now, is left out, and the tier's default Xcode takes the place of such an Xcode.
 */
function setupOf(mac: Mac): Setup {
  const job = runningJob(mac);
  const target: Partial<JobTarget> = job?.target ?? {};
  const { xcode = mac.xcode, runtimes = mac.runtimes, tools = mac.tools } = target;
  const isMade = mac.state === 'preparing' || (job !== null && makesNewMac(job));
  if (mac.image === null || !isMade) return { xcode, runtimes, tools };
  const { onNewMac } = mac;
  return {
    xcode: xcode === null || onNewMac.xcodeVersions.includes(xcode) ? xcode : onNewMac.defaultXcode,
    runtimes: runtimes.filter((name) => onNewMac.runtimes.includes(name)),
    tools: tools.filter((name) => onNewMac.tools.includes(name)),
  };
}

/** Returns the fields of a Mac that its host sets: the image that it was created from, and what is selected in it. */
export function setupIfReady(
  mac: Mac,
  fact: Pick<MacFact, 'xcode' | 'image_digest'>,
): Partial<Setup & Pick<Mac, 'madeFrom'>> {
  if (mac.image === null) return {};
  const setup = setupOf(mac);
  // Only known versions: a later Mac on another host has to select it again.
  const known = fact.xcode !== null && [...mac.xcodeVersions, ...mac.onNewMac.xcodeVersions].includes(fact.xcode);
  return { ...setup, xcode: known ? fact.xcode : setup.xcode, madeFrom: fact.image_digest ?? null };
}

/** Returns the desired state of the slot. */
export function desiredMacOf(mac: Mac): DesiredMac {
  const job = runningJob(mac);
  const { xcode, runtimes, tools } = setupOf(mac);
  return {
    slot_id: mac.slotId,
    rental_id: mac.rentalId,
    account_id: mac.accountId,
    generation: mac.generation,
    revision: mac.revision,
    empty_work: job?.kind === 'reset' && job.target.keepCache,
    repair: mac.repairing && mac.repairAt === null,
    image: mac.image,
    image_digest: mac.imageDigest,
    ...sizeOf(mac.tierSpec),
    xcode,
    runtimes: [...runtimes],
    tools: [...tools],
  };
}

/** The size of a virtual machine; 0 means that no operator has given the value. */
const sizeOf = ({ cpu_cores, memory_gb, disk_gb }: TierSpec) => ({
  cpu_cores: cpu_cores || null,
  memory_gb: memory_gb || null,
  disk_gb: disk_gb || null,
});
