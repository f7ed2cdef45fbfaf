import type { DesiredMac, MacFact } from '../../shared/protocol/index.js';

/** Returns a desired Mac with default values. */
export function desiredMac(given: Partial<DesiredMac> = {}): DesiredMac {
  return {
    slot_id: 'slot_1',
    rental_id: 'rt_1',
    account_id: 1,
    generation: 1,
    revision: 1,
    empty_work: false,
    repair: false,
    image: null,
    image_digest: null,
    cpu_cores: null,
    memory_gb: null,
    disk_gb: null,
    xcode: null,
    runtimes: [],
    tools: [],
    ...given,
  };
}

/** Returns the fact that a host reports for such a Mac. */
export function readyFact(mac: DesiredMac): MacFact {
  const { slot_id, rental_id, generation, revision, xcode } = mac;
  const quiet = { progress: null, refused: null, error: null };
  return { slot_id, rental_id, generation, revision, xcode, state: 'ready', ...quiet };
}
