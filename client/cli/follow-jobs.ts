// Prints the results of changes of Macs and optionally waits for their jobs.
import type { Job, OperationResult } from '../types.js';
import { EXIT_CANCELLED, EXIT_OK, EXIT_OTHER, EXIT_TRY_LATER } from './exit-codes.js';
import { PATIENT } from './follow-order.js';
import { unlessLeft } from './leave.js';
import { jobText, resultText } from './render-macs.js';
import type { RentingSession } from './renting-session.js';
import { createStatusLine } from './terminal.js';

/** Reasons for which the same change can be accepted later. */
const PASSING = new Set(['rental_busy', 'job_in_progress', 'reset_limit']);

/**
 * Answers the results of a change, with their jobs as they ended when `wait` is set, and sets the exit code.
 *
 * @param document what `--json` answers, made of the results with their jobs
 */
export async function finishChanges(
  session: RentingSession,
  results: readonly OperationResult[],
  wait: boolean,
  document: (results: readonly (OperationResult & { job?: Job })[]) => unknown,
): Promise<void> {
  const ids = results.flatMap(({ job_id }) => (job_id === undefined ? [] : [job_id]));
  const ended = wait ? await followJobs(session, ids) : new Map<string, Job>();
  if (ended === null) {
    session.context.exitCode = EXIT_CANCELLED;
    if (session.json) session.answer(document(results), () => '');
    return;
  }
  const complete = results.map((result) => {
    const job = ended.get(result.job_id ?? '');
    return job ? { ...result, job } : result;
  });
  const lines = complete.map((result) => ('job' in result ? jobText(result.job) : resultText(result)));
  session.answer(document(complete), () => lines.map((line) => `${line}\n`).join(''));
  session.context.exitCode = exitCodeOf(results, [...ended.values()]);
}

function exitCodeOf(results: readonly OperationResult[], jobs: readonly Job[]): number {
  if (jobs.some(({ status }) => status === 'failed')) return EXIT_OTHER;
  const rejected = results.filter(({ result }) => result === 'rejected');
  if (rejected.length === 0) return EXIT_OK;
  return rejected.every(({ reason }) => PASSING.has(reason ?? '')) ? EXIT_TRY_LATER : EXIT_OTHER;
}

/** Waits for jobs and shows their progress; null after Ctrl-C, which prints how to resume. */
export async function followJobs(
  { context, renting, note }: RentingSession,
  ids: readonly string[],
): Promise<Map<string, Job> | null> {
  const line = createStatusLine(context.stderr);
  const seen = new Map<string, Job>();
  const onLook = (job: Job) => {
    seen.set(job.job_id, job);
    // Without a terminal every change is a line, and percentages change often.
    line.set([...seen.values()].map((each) => jobText(each, context.stderr.isTTY === true)).join('; '));
  };
  const jobs = await unlessLeft(context, (signal) =>
    Promise.all(ids.map((id) => renting.jobs.waitUntilEnded(id, { signal, retry: PATIENT, onLook }))),
  );
  line.clear();
  if (jobs) return new Map(jobs.map((job) => [job.job_id, job]));
  note(`\nThe changes continue: ${ids.map((id) => `cidermill jobs ${id} --wait`).join('; ')}`);
  return null;
}
