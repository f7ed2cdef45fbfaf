// What is known of a Mac while its host makes, remakes or changes it: kept until it is ready, also over restarts.
import { z } from 'zod';
import { imageProgress, type MacFact } from '../../../shared/protocol/index.js';
import { macProblemCode, macProblemCodes } from './mac-problem.js';

const problem = z.object({
  code: z.enum(macProblemCodes).catch('failed'),
  /** The host's own words, for operators: they may name paths. */
  detail: z.string().nullable(),
  since: z.int(),
});
export type MacProblem = Readonly<z.infer<typeof problem>>;

export const macMaking = z.object({
  progress: z.object({ step: z.string(), percent: z.number(), image: imageProgress.nullable() }).nullable(),
  /** Why the host could not make it when it last tried. It keeps trying. */
  problem: problem.nullable(),
  /** The account got a notification that the Mac is unavailable, and gets another when the Mac is available again. */
  announced: z.boolean(),
});
export type MacMaking = Readonly<z.infer<typeof macMaking>>;

const NOTHING: MacMaking = { progress: null, problem: null, announced: false };

/** Of a Mac, whose fields are declared with this. */
interface SeenMac {
  readonly state: string;
  readonly generation: number;
  readonly making: MacMaking | null;
}

const UNDER_WAY: ReadonlySet<string> = new Set(['preparing', 'resetting', 'updating']);

/**
 * Returns what is known after the host's report. A problem stays while the host tries again, because a new attempt does not
 * mean that the cause is gone; it is over when the Mac is ready.
 *
 * @returns null: nothing new
 */
export function makingAfter(mac: SeenMac, fact: MacFact, now: number): MacMaking | null {
  if (fact.generation !== mac.generation || !UNDER_WAY.has(mac.state)) return null;
  const before = mac.making ?? NOTHING;
  const after: MacMaking = {
    ...before,
    progress: progressOf(fact) ?? (fact.state === 'failed' ? null : before.progress),
    problem: mac.state === 'preparing' ? problemOf(before.problem, fact, now) : before.problem,
  };
  return JSON.stringify(after) === JSON.stringify(before) ? null : after;
}

function progressOf({ progress }: MacFact): MacMaking['progress'] {
  return progress && { step: progress.step, percent: progress.percent, image: progress.image ?? null };
}

function problemOf(before: MacProblem | null, fact: MacFact, now: number): MacProblem | null {
  if (fact.state !== 'failed') return before;
  const code = macProblemCode(fact.error_code ?? fact.refused?.code);
  return { code, detail: fact.error ?? fact.refused?.message ?? null, since: before?.since ?? now };
}

/** A Mac that its host cannot make now. */
export interface FailingMac {
  readonly rentalId: string;
  readonly name: string;
  /** The name of the organization that has it. */
  readonly orgName: string;
  readonly problem: MacProblem;
}

/** Returns what stays known of a Mac that another host makes from now on. */
export const makingElsewhere = ({ making }: Pick<SeenMac, 'making'>): MacMaking | null =>
  making?.announced ? { ...NOTHING, announced: true } : null;
