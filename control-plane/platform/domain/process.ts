// A process of the control plane, as the others and operators see it.

import type { RecordOf } from './fields.js';
import { int, text } from './fields.js';

/** Times are the database's, ms. */
export const processFields = {
  /** Of this run: another one after each start. */
  processId: text(),
  version: text(),
  /** The newest migration that it knows. */
  schemaId: int(),
  /** Of the key that it seals secrets with. */
  keyId: text(),
  machine: text(),
  pid: int(),
  startedAt: int(),
  seenAt: int(),
  /** Hosts that are connected to it. */
  connections: int().initially(0),
  /** How long its main thread lately kept work waiting, 99th percentile, ms. */
  lagMs: int().initially(0),
} as const;

export type ProcessRecord = RecordOf<typeof processFields>;

/** A process tells so often that it is there, ms. */
export const BEAT_MS = 2_000;
/** One that has not done so for this long has died: with the time to the next look at it that is less than 15 s. */
export const DEAD_MS = 12_000;
