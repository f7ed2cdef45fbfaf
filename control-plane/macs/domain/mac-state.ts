// The history of a Mac's states: an entry for each change, written in its transaction.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { MacState } from './mac.js';

export const macCauses = [
  'rented',
  'begun',
  'prepared',
  'build_started',
  'build_ended',
  'job_started',
  'job_done',
  'job_failed',
  'lost',
  'host_lost',
  'host_removed',
  'moved',
  'repair',
  'unconfirmed',
  'rental_ended',
] as const;
/** Why a Mac is in its state. */
export type MacCause = (typeof macCauses)[number];

export const macStateFields = {
  seq: int().assigned,
  rentalId: text(),
  at: int(),
  state: text<MacState>(),
  cause: text<MacCause>(),
  /** Of job_started, job_done and job_failed. */
  jobId: text().orNull.initially(null),
};
export type MacStateEntry = RecordOf<typeof macStateFields>;

/** When and why a Mac changes. */
export type MacChange = Pick<MacStateEntry, 'at' | 'cause'> & { readonly jobId?: string };
