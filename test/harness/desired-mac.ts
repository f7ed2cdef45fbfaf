import type { DesiredMac, MacFact } from '../../shared/protocol/index.js';

/** A Mac as a control plane that asks for nothing particular would have it. */
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
    xcode: null,
    runtimes: [],
    tools: [],
    ...given,
  };
}

/** What a host says of such a Mac when it has it. */
export function readyFact(mac: DesiredMac): MacFact {
  const { slot_id, rental_id, generation, revision, xcode } = mac;
  const quiet = { progress: null, refused: null, error: null };
  return { slot_id, rental_id, generation, revision, xcode, state: 'ready', ...quiet };
}
