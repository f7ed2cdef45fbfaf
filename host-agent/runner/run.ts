// Runs one build, step by step. Each step has its own file.
import { type CommitAbout, summaryFields, warningFields } from '../../shared/build.js';
import { buildWarning, buildWarnings } from '../../shared/messages/build-warnings.js';
import { failureCauses } from '../../shared/messages/failure-causes.js';
import { type Message, withTexts } from '../../shared/messages/message.js';
import type { BuildResult, BuildStep, StepTime } from '../../shared/protocol/index.js';
import { asStepError } from '../contract/build-step-error.js';
import type { Collected } from './artifacts.js';
import { artifactsStep } from './artifacts-step.js';
import { type BuildLog, createBuildLog } from './build-log.js';
import type { Halt, HaltCause } from './halt.js';
import { createLogWindow, type EmitLog } from './log-window.js';
import { closingLine, outcomeOf } from './outcome.js';
import { dropOtherWork, prepareFolders, removeBuildFiles } from './prepare-folders.js';
import type { RunOptions } from './run-options.js';
import type { ScriptRun } from './script.js';
import { chooseXcode, scriptStep } from './script-step.js';

/** Runs the build and returns its result, with all text masked. Never throws. */
export async function runBuild(options: RunOptions): Promise<BuildResult> {
  const { spec, mac, halt, clock, mask, on } = options;
  // The times of a build keep their distances when the clock of its machine is corrected.
  const begun = clock.now() - clock.monotonic();
  const time = () => begun + clock.monotonic();
  let step: BuildStep = 'prepare';
  let problem: unknown = null;
  let scriptStartedAt: number | null = null;
  let workFolder: string | null = null;
  let commitSha: string | null = null;
  let commitAbout: CommitAbout | null = null;
  const sourceWarnings: Message[] = [];
  let end: ScriptRun | null = null;
  let collected: Collected = { artifacts: [], warnings: [] };
  const log = openLog(options, (error) => {
    problem ??= error;
    halt.request(asStepError(error, step));
  });
  const deadline = clock.setTimeout(() => halt.request('timeout'), spec.timeout_ms);
  const steps: StepTime[] = [];
  const note = (next: BuildStep) => {
    const entered = { step: next, at: time() };
    steps.push(entered);
    on.step(entered);
  };
  const enter = (next: BuildStep) => {
    halt.signal.throwIfAborted();
    step = next;
    note(next);
  };

  try {
    enter('prepare');
    const paths = await prepareFolders(options);
    workFolder = paths.work;
    enter('source');
    const say = (line: string) => log.line(line);
    const { commit, about = null } = await options.checkOutSources({
      paths,
      say,
      warn(warning) {
        sourceWarnings.push(warning);
        log.line(`warning: ${warning.text}`);
      },
      dropOthers: () => dropOtherWork(options),
      signal: halt.signal,
    });
    await mac.deliver(paths, { clean: spec.clean_tree, say, signal: halt.signal });
    commitSha = commit;
    commitAbout = about && { title: mask.text(about.title), author: mask.text(about.author) };
    on.checkedOut(commit, commitAbout);
    enter('xcode');
    const developerDir = await chooseXcode(options, log);
    enter('script');
    scriptStartedAt = time();
    end = await scriptStep(options, log, paths, { commit, developerDir });
    options.guard.check();
    // An interruption of the script belongs to the step `script`.
    if (!end.interrupted) step = 'artifacts';
    note('artifacts');
    collected = await artifactsStep(options, paths);
  } catch (error) {
    problem ??= error;
  }
  deadline.cancel();
  await removeBuildFiles(options.mac, clock);

  const cause = causeOf(halt, end);
  const outcome = () => outcomeOf({ step, cause, problem, end, timeoutMs: spec.timeout_ms });
  const warnings = [...collected.warnings, ...leftRunningWarning(end)];
  for (const warning of warnings) log.line(`warning: ${warning.text}`);
  const closing = closingLine(outcome());
  if (closing !== null) log.line(closing);
  const { omittedBytes } = log.end();
  try {
    options.spool.sync();
  } catch (error) {
    problem ??= error;
  }
  const { summary, ...decided } = outcome();
  return {
    ...decided,
    ...summaryFields(summary && withTexts(failureCauses, summary, (text) => shorten(mask.text(text)))),
    ...(workFolder === null ? {} : { work_folder: mask.text(workFolder) }),
    commit_sha: commitSha,
    commit_about: commitAbout,
    steps,
    script_started_at: scriptStartedAt,
    ended_at: time(),
    log: {
      ...(await options.guard.close()),
      omitted_bytes: omittedBytes,
      possibly_truncated: end !== null && !end.complete,
    },
    artifacts: collected.artifacts,
    ...warningFields([...sourceWarnings, ...warnings].map((warning) => withTexts(buildWarnings, warning, mask.text))),
  };
}

function openLog(options: RunOptions, onBroken: (error: unknown) => void): BuildLog {
  const { spec, spool, mask, clock, limits, on } = options;
  const { head_bytes: headBytes, tail_bytes: tailBytes } = spec.log;
  const emit: EmitLog = (bytes, isService) => {
    // Marked first: a write that fails may have written a part.
    if (isService) on.marked(spool.bytes(), spool.bytes() + bytes.length);
    spool.write(bytes);
  };
  return createBuildLog({
    mask,
    window: createLogWindow({ headBytes, tailBytes }, emit),
    clock,
    batchBytes: limits.outputBatchBytes,
    batchMs: limits.outputBatchMs,
    floodBytes: limits.outputFloodBytes,
    floodMs: limits.outputFloodMs,
    onWritten: on.spooled,
    onBroken,
  });
}

/**
 * Returns what ended the build early. A stop counts until the artifacts are collected; an error of the host only
 * until the script has exited.
 */
function causeOf(halt: Halt, end: ScriptRun | null): HaltCause | null {
  const cause = halt.cause();
  return typeof cause === 'string' || !end || end.interrupted ? cause : null;
}

function leftRunningWarning(end: { leftRunning: number } | null): Message[] {
  if (!end || end.leftRunning === 0) return [];
  return [buildWarning('processes_left', { count: end.leftRunning })];
}

function shorten(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 599)}…`;
}
