import { CidermillError } from '../cidermill-error.js';
import type { Build } from '../types.js';
import { excerptRange, failureCard } from './failure-card.js';
import { fetchLines, type LogNotes } from './log-excerpt.js';
import type { Session } from './session.js';

/** Writes the failure card to standard error, with its excerpt of the log. */
export async function showFailure(session: Session, build: Build, notes: LogNotes): Promise<void> {
  const range = excerptRange(build);
  let excerpt: string[] = [];
  if (range) {
    try {
      excerpt = await fetchLines(session.client, build.id, notes, range);
    } catch (error) {
      // The card is worth showing without it too.
      if (!(error instanceof CidermillError)) throw error;
    }
  }
  session.context.stderr.write(failureCard(build, excerpt, range?.[0] ?? 1, session.style.err));
}
