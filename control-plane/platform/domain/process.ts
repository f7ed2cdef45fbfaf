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

export interface Beats {
  /** How often a process says that it is there, ms. */
  readonly everyMs: number;
  /** A process that has not said so for this long counts as dead, ms. */
  readonly deadMs: number;
}

/** With the time to the next look at it, a process that has died is found within 15 s. */
export const BEATS: Beats = { everyMs: 2_000, deadMs: 12_000 };
