// Problems that operators are notified of: when one begins and when it is over. A problem that comes and goes is announced
// once, and its end only after it has been gone for a while.
import { type Message, uncoded } from '../../../shared/messages/message.js';
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import { storedMessage } from '../../platform/domain/stored-message.js';

export const problemKinds = [
  'host.offline',
  'host.unhealthy',
  'host.disk_low',
  'host.credential_conflict',
  'host.macs_failing',
  'capacity.low',
  'payment.unsettled',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

interface Possible {
  readonly kind: ProblemKind;
  /** Id of a host, a tier or a refund, or the number of an order or top-up. */
  readonly subject: string;
  /** For people. */
  readonly name: string;
}

interface Present extends Possible {
  readonly state: 'present';
  /** What is wrong. */
  readonly reason: Message;
}

/** Cannot be known now, or is not worth a notice; it neither begins nor ends a problem. */
interface Unclear extends Possible {
  readonly state: 'unclear';
}

/** Whether a possible problem is present at one moment. Subjects without a sighting have no problem. */
export type Sighting = Present | Unclear;

export const problemFields = {
  kind: text<ProblemKind>(),
  subject: text(),
  name: text(),
  /** The text of `reason`. */
  message: text(),
  /** Null in rows of older versions. */
  reason: storedMessage().orNull,
  /** Since when it is seen without a pause; null: it is not seen. */
  seenAt: int().orNull,
  /** Since when operators know of it; null: they do not, or it is over. */
  begunAt: int().orNull,
  /** Since when an announced problem has not been seen; null: it is seen. */
  goneAt: int().orNull,
  /** How often it has been announced since it was last quiet for a day. */
  times: int(),
  /** When its end was announced; null: it has not been. */
  endedAt: int().orNull,
};
export type Problem = RecordOf<typeof problemFields>;

/** Returns what is wrong. */
export const reasonOf = ({ message, reason }: Pick<Problem, 'message' | 'reason'>): Message =>
  reason ?? uncoded(message);

export type ProblemLimits = Pick<Limits, 'notice_gather_ms' | 'notice_clear_ms' | 'notice_clear_max_ms'>;

export interface Judgment {
  /** Every problem to keep, in its new form. */
  readonly kept: readonly Problem[];
  /** Of those, the ones to announce now. */
  readonly begun: readonly Problem[];
  /** Those whose end is to be announced, as they were. */
  readonly ended: readonly Problem[];
  /** When the next decision is due without any change; null: never. */
  readonly nextAt: number | null;
}

/** A problem that was quiet for this long is forgotten, with how often it came. */
const REMEMBERED_MS = 24 * 3_600_000;

export const keyOf = ({ kind, subject }: Pick<Problem, 'kind' | 'subject'>) => `${kind} ${subject}`;

/** How long an announced problem must be gone; doubled each time it has come back, since it will probably come again. */
const clearMs = ({ times }: Problem, limits: ProblemLimits) =>
  Math.min(limits.notice_clear_max_ms, limits.notice_clear_ms * 2 ** Math.min(times - 1, 20));

/**
 * Decides what to announce. The first problem waits for `notice_gather_ms`, so that those of the same cause share one
 * notice; so does the first end.
 */
export function judgeProblems(
  known: readonly Problem[],
  sightings: readonly Sighting[],
  now: number,
  limits: ProblemLimits,
): Judgment {
  const seen = new Map(sightings.map((sighting) => [keyOf(sighting), sighting]));
  const before = new Map(known.map((problem) => [keyOf(problem), problem]));
  const added = sightings.flatMap((one) =>
    one.state === 'present' && !before.has(keyOf(one)) ? [newProblem(one)] : [],
  );
  const all = [...known, ...added].map((problem) => noted(problem, seen.get(keyOf(problem)), now));

  const gather = limits.notice_gather_ms;
  const waiting = all.filter(({ begunAt, seenAt }) => begunAt === null && seenAt !== null);
  const leaving = all.filter(({ begunAt, goneAt }) => begunAt !== null && goneAt !== null);
  const clearAt = (problem: Problem) => (problem.goneAt ?? now) + clearMs(problem, limits);
  const dueBegin = (problem: Problem) => (problem.seenAt ?? now) + gather;
  const dueEnd = (problem: Problem) => clearAt(problem) + gather;

  const isPresent = (problem: Problem) => seen.get(keyOf(problem))?.state === 'present';
  const begins = waiting.some((one) => dueBegin(one) <= now && isPresent(one)) ? waiting.filter(isPresent) : [];
  const ends = leaving.some((one) => dueEnd(one) <= now) ? leaving.filter((one) => clearAt(one) <= now) : [];
  const begun = begins.map((one) => ({ ...one, begunAt: now, times: one.times + 1, endedAt: null }));
  const over = ends.map((one) => ({ ...one, begunAt: null, seenAt: null, goneAt: null, endedAt: now }));

  const changed = new Map([...begun, ...over].map((problem) => [keyOf(problem), problem]));
  const kept = all.map((problem) => changed.get(keyOf(problem)) ?? problem).filter((one) => isKept(one, now));
  const due = kept.flatMap((one) => {
    if (one.begunAt !== null) return one.goneAt === null ? [] : [dueEnd(one)];
    // What is unclear is decided when it changes.
    if (one.seenAt !== null) return isPresent(one) ? [dueBegin(one)] : [];
    return [(one.endedAt ?? now) + REMEMBERED_MS];
  });
  return { kept, begun, ended: ends, nextAt: due.length > 0 ? Math.min(...due) : null };
}

const newProblem = ({ kind, subject, name, reason }: Present): Problem => ({
  kind,
  subject,
  name,
  message: reason.text,
  reason,
  seenAt: null,
  begunAt: null,
  goneAt: null,
  times: 0,
  endedAt: null,
});

function noted(problem: Problem, sighting: Sighting | undefined, now: number): Problem {
  if (sighting === undefined) {
    return problem.begunAt === null ? { ...problem, seenAt: null } : { ...problem, goneAt: problem.goneAt ?? now };
  }
  if (sighting.state === 'unclear') return { ...problem, goneAt: null };
  const { name, reason } = sighting;
  return { ...problem, name, message: reason.text, reason, goneAt: null, seenAt: problem.seenAt ?? now };
}

const isKept = ({ seenAt, begunAt, endedAt }: Problem, now: number) =>
  seenAt !== null || begunAt !== null || (endedAt !== null && now - endedAt < REMEMBERED_MS);
