// A version on trial: it runs, and the version before comes back unless it proves to work in time. The trial is a file of
// lines `word value` beside the versions. Starts and failures are appended by the launcher (launcher.sh), which decides
// before the program starts; everything else is done here.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, syncFolder, writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import type { Message } from '../../shared/messages/message.js';
import { messageBeside } from '../../shared/protocol/kinds.js';
import type { ProgramPaths } from './paths.js';

export interface Trial {
  /** The version on trial. */
  readonly to: string;
  /** The version that comes back. */
  readonly from: string;
  /** The service's request; null: an operator's on this machine. */
  readonly attempt: string | null;
  /** What proves that it works: that the service has welcomed it, or only that it has started and adopted the builds. */
  readonly needs: 'welcome' | 'start';
  readonly seconds: number;
  /** Starts until it counts as crashing. */
  readonly most: number;
}

export interface TrialState extends Trial {
  readonly starts: number;
  /** hung: it did not prove to work in time. crashed: it was started `most` times. */
  readonly failed: string | null;
}

export const trialFile = ({ root }: Pick<ProgramPaths, 'root'>): string => join(root, 'trial');

/** Must be called before `current` changes: a version that is current without a trial is not replaced again. */
export function beginTrial(paths: ProgramPaths, trial: Trial): void {
  const { attempt, ...words } = trial;
  const lines = Object.entries({ ...words, ...(attempt === null ? {} : { attempt }) });
  writeDurably(trialFile(paths), lines.map(([word, value]) => `${word} ${value}\n`).join(''), {
    mode: 0o644,
  });
}

/** Returns the trial, or null. A file that names no versions, e.g. after a loss of power, is none. */
export function readTrial(paths: ProgramPaths): TrialState | null {
  const text = unless(['ENOENT'], () => readFileSync(trialFile(paths), 'utf8'));
  if (text === undefined) return null;
  const lines = text.split('\n').map((line) => line.split(' '));
  const last = (word: string) => lines.findLast(([first]) => first === word)?.[1] ?? null;
  const [to, from] = [last('to'), last('from')];
  if (to === null || from === null) return null;
  return {
    to,
    from,
    attempt: last('attempt'),
    needs: last('needs') === 'start' ? 'start' : 'welcome',
    seconds: Number(last('seconds')),
    most: Number(last('most')),
    failed: last('failed'),
    starts: lines.filter(([first]) => first === 'start').length,
  };
}

export function endTrial(paths: ProgramPaths): void {
  rmSync(trialFile(paths), { force: true });
  syncFolder(paths.root);
}

/** The outcome of the last upgrade. A request of the service that is recorded here is not tried again. */
const outcome = z.object({
  attempt: z.string().nullable(),
  version: z.string(),
  state: z.enum(['idle', 'failed', 'rolled_back']),
  error: z.string().nullable(),
  /** Missing where an older version wrote it. */
  error_message: messageBeside(600),
});
export type UpgradeOutcome = z.infer<typeof outcome>;

/** The fields of an outcome for its error. */
export const outcomeFields = (error: Message | null): Pick<UpgradeOutcome, 'error' | 'error_message'> => ({
  error: error?.text ?? null,
  error_message: error && { ...error },
});

const outcomeFile = ({ root }: ProgramPaths): string => join(root, 'last-upgrade.json');

export function readOutcome(paths: ProgramPaths): UpgradeOutcome | null {
  return outcome.safeParse(readJson(outcomeFile(paths))).data ?? null;
}

export function writeOutcome(paths: ProgramPaths, last: UpgradeOutcome): void {
  writeDurably(outcomeFile(paths), JSON.stringify(last), { mode: 0o644 });
}
