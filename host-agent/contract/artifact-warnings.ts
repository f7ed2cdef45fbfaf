// Warnings about artifacts that were left out or contain a secret; a few sentences, however many artifacts there are.

import { buildWarning, type LeftOutReason } from '../../shared/messages/build-warnings.js';
import type { Message } from '../../shared/messages/message.js';

const NAMED = 3;
const SENTENCES = 20;

export type LeftOut = ReturnType<typeof createLeftOut>;

/** @param show removes secrets and control characters from a name */
export function createLeftOut(show: (name: string) => string) {
  const seen = new Map<LeftOutReason, { count: number; names: string[] }>();
  let replaced = false;
  return {
    /** The build has put something else in the place of the whole folder. */
    replaced() {
      replaced = true;
    },
    add(reason: LeftOutReason, name: string) {
      const known = seen.get(reason) ?? { count: 0, names: [] };
      seen.set(reason, known);
      known.count++;
      if (known.names.length < NAMED) known.names.push(show(name));
    },
    /** Returns one sentence per reason, naming the first few artifacts. */
    warnings: () => [
      ...(replaced ? [buildWarning('artifacts_folder_replaced')] : []),
      ...[...seen].map(([reason, { count, names }]) =>
        buildWarning('artifacts_left_out', { names: names.join(', '), more: count - names.length, reason }),
      ),
    ],
  };
}

/** Returns the first warnings and the number of the others. */
export function firstArtifacts(
  warnings: readonly Message[],
  more: 'more_artifacts_hold_secrets' | 'more_artifacts_not_stored',
): Message[] {
  if (warnings.length <= SENTENCES) return [...warnings];
  return [...warnings.slice(0, SENTENCES), buildWarning(more, { count: warnings.length - SENTENCES })];
}
