import type { MacTarget } from '../api/maintenance.js';
import { UsageError } from './usage-error.js';

export interface ChangedMacs {
  macs: MacTarget;
  /** The only Mac named on the command line, which has its own endpoint. */
  only: string | null;
  /** Their names in a question. */
  text: string;
}

/** @throws UsageError unless either Macs are named or all are meant */
export function macTarget(ids: readonly string[], all = false): ChangedMacs {
  if (all === ids.length > 0) throw new UsageError('name Macs, or give --all');
  if (all) return { macs: { all: true }, only: null, text: 'every Mac' };
  const [first = '', ...others] = ids;
  return { macs: { ids: [...ids] }, only: others.length === 0 ? first : null, text: ids.join(', ') };
}
