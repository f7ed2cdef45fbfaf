// Follows a build to its end: why it waits, then its log.
import { pause } from '../../shared/pause.js';
import { hasEnded } from '../api/builds.js';
import { CidermillError } from '../cidermill-error.js';
import type { Build } from '../types.js';
import { createLogNotes, type LogNotes } from './log-excerpt.js';
import { leftText, waitText } from './render-builds.js';
import type { Session } from './session.js';
import { createStatusLine, printable, type StatusLine } from './terminal.js';

/** Delay before the first status request; most builds start sooner, ms. */
const FIRST_LOOK_MS = 400;
const LOOK_EVERY_MS = 2_000;

export interface Followed {
  build: Build;
  notes: LogNotes;
}

export interface FollowOptions {
  signal: AbortSignal;
  /** Called when there is idle time: after the first output, or after a moment without any. */
  onSpareTime(): void;
}

/**
 * Writes the log as it grows and shows on standard error what the build waits for.
 *
 * @returns the build as it ended
 */
export async function followBuild(
  session: Session,
  submitted: Build,
  { signal, onSpareTime }: FollowOptions,
): Promise<Followed> {
  const { client, context } = session;
  const line = createStatusLine(context.stderr);
  const waiting = new AbortController();
  const watched = showWaiting(session, submitted, line, {
    signal: AbortSignal.any([signal, waiting.signal]),
    onSpareTime,
  });
  const notes = createLogNotes();
  try {
    for await (const bytes of client.builds.log.followBytes(submitted.id, { signal })) {
      waiting.abort();
      line.clear();
      notes.add(bytes);
      await session.printLog(bytes);
      onSpareTime();
    }
    const build = await client.builds.waitUntilEnded(submitted.id, { signal });
    return { build, notes };
  } finally {
    session.endLog();
    waiting.abort();
    await watched;
    line.clear();
  }
}

/** Asks about the build now and then, until the log begins. */
async function showWaiting(
  { client, clock }: Session,
  submitted: Build,
  line: StatusLine,
  { signal, onSpareTime }: FollowOptions,
): Promise<void> {
  try {
    await pause(clock, FIRST_LOOK_MS, signal);
    onSpareTime();
    for (;;) {
      const build = await client.builds.get(submitted.id, { signal });
      if (hasEnded(build)) return;
      const timings = { ...build.timings, estimated_end_at: null };
      const news = stateText({ ...build, estimated_wait_s: null, timings });
      line.set(stateText(build), { news });
      await pause(clock, LOOK_EVERY_MS, signal);
    }
  } catch (error) {
    // Only informative: following the log meets the same error and reports it.
    if (!(error instanceof CidermillError) && !signal.aborted) throw error;
  }
}

function stateText(build: Build): string {
  if (build.status === 'running') {
    return `running on ${printable(build.rental_name ?? build.rental_public_id ?? 'a Mac')}${leftText(build)}`;
  }
  const position = build.queue_position === null ? '' : `, position ${build.queue_position}`;
  const why = waitText(build);
  return `waiting${position}${why === '' ? '' : `: ${why}`}`;
}
