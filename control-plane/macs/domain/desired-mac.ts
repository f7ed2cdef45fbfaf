// What the host of a Mac should bring about.
import type { DesiredMac } from '../../../shared/protocol/index.js';
import type { JobTarget } from './job.js';
import type { Mac } from './mac.js';
import type { TierSpec } from './tier.js';

/** Returns the desired state of the slot: the Mac's current setup with the target of its running job. */
export function desiredMacOf(mac: Mac): DesiredMac {
  const job = mac.openJob?.status === 'running' && mac.openJob.kind !== 'provision' ? mac.openJob : null;
  const target: Partial<JobTarget> = job?.target ?? {};
  const { xcode = mac.xcode, runtimes = mac.runtimes, tools = mac.tools } = target;
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

/** The size of a virtual machine; 0 stands for a value that no operator has given. */
const sizeOf = ({ cpu_cores, memory_gb, disk_gb }: TierSpec) => ({
  cpu_cores: cpu_cores || null,
  memory_gb: memory_gb || null,
  disk_gb: disk_gb || null,
});
