// Runs one build, step by step. Each step has its own file.
import type { Clock } from '../../shared/clock.js';
import { countOf } from '../../shared/count.js';
import type { BuildResult, BuildSecret, BuildSpec, BuildStep } from '../../shared/protocol/index.js';
import { type AttemptFiles, processMark, type ToldFiles, toldFiles } from '../contract/attempt-folder.js';
import { asStepError, BuildStepError } from '../contract/build-step-error.js';
import type { MacDriver, MacPaths } from '../driver/driver.js';
import type { BuildLimits } from '../limits.js';
import { type Collected, collectArtifacts } from './artifacts.js';
import type { AttemptGuard } from './attempt-guard.js';
import { type BuildLog, createBuildLog } from './build-log.js';
import type { BuildMask } from './build-mask.js';
import { buildEnvironment } from './environment.js';
import { explainNotStarted } from './environment-size.js';
import { graceAfter, type Halt, type HaltCause } from './halt.js';
import { createLogWindow } from './log-window.js';
import { closingLine, outcomeOf } from './outcome.js';
import { createToldFiles, dropOtherWork, prepareFolders, removeToldFiles } from './prepare-folders.js';
import { runScript, type ScriptRun } from './script.js';
import type { Spool } from './spool.js';
import { openTerminal, type Terminal } from './terminal.js';
import { wrapperCommand } from './wrapper.js';

/** Checks out the sources of a build into its work folder. */
export type CheckOutSources = (request: {
  paths: MacPaths;
  say: (line: string) => void;
  /** Logs a line and adds it to the build's warnings. */
  warn: (line: string) => void;
  /** Deletes work folders of other sources from the Mac; returns how many. */
  dropOthers: () => Promise<number>;
  signal: AbortSignal;
}) => Promise<{ commit: string | null }>;

export interface RunOptions {
  spec: BuildSpec;
  secrets: readonly BuildSecret[];
  files: AttemptFiles;
  driver: MacDriver;
  checkOutSources: CheckOutSources;
  mask: BuildMask;
  spool: Spool;
  guard: AttemptGuard;
  halt: Halt;
  /** This process, if it is a subreaper and runs nothing but its build. */
  ancestor?: number;
  limits: BuildLimits;
  clock: Clock;
  on: {
    step(step: BuildStep): void;
    /** The sources are checked out; null for an upload. */
    checkedOut(commit: string | null): void;
    /** Raw output was read from the terminal. */
    output(): void;
    /** The spool may have grown. */
    spooled(): void;
    /** A line of the service was written to this byte range of the spool. */
    marked(from: number, to: number): void;
  };
}

/** Runs the build and returns its result, with all text masked. Never throws. */
export async function runBuild(options: RunOptions): Promise<BuildResult> {
  const { spec, halt, clock, mask, on } = options;
  let step: BuildStep = 'prepare';
  let problem: unknown = null;
  let scriptStartedAt: number | null = null;
  let workFolder: string | null = null;
  let commitSha: string | null = null;
  const sourceWarnings: string[] = [];
  let end: ScriptRun | null = null;
  let collected: Collected = { artifacts: [], warnings: [] };
  const log = openLog(options, (error) => {
    problem ??= error;
    halt.request(asStepError(error, step));
  });
  const deadline = clock.setTimeout(() => halt.request('timeout'), spec.timeout_ms);
  const enter = (next: BuildStep) => {
    halt.signal.throwIfAborted();
    step = next;
    on.step(next);
  };

  try {
    enter('prepare');
    const paths = await prepare(options);
    workFolder = paths.work;
    enter('source');
    const say = (line: string) => log.line(line);
    const { commit } = await options.checkOutSources({
      paths,
      say,
      warn(line) {
        sourceWarnings.push(line);
        log.line(`warning: ${line}`);
      },
      dropOthers: () => dropOtherWork(options),
      signal: halt.signal,
    });
    commitSha = commit;
    on.checkedOut(commit);
    enter('xcode');
    const developerDir = await chooseXcode(options, log);
    enter('script');
    scriptStartedAt = clock.now();
    end = await script(options, () => open(options, log, paths, { commit, developerDir }));
    options.guard.check();
    // An interruption of the script belongs to the step `script`.
    if (!end.interrupted) step = 'artifacts';
    on.step('artifacts');
    collected = await artifacts(options);
  } catch (error) {
    problem ??= error;
  }
  deadline.cancel();
  await removeToldFiles(toldOf(options), clock);

  const cause = causeOf(halt, end);
  const outcome = () => outcomeOf({ step, cause, problem, end, timeoutMs: spec.timeout_ms });
  const warnings = [...collected.warnings, ...leftRunningWarning(end)];
  for (const warning of warnings) log.line(`warning: ${warning}`);
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
    summary: summary === null ? null : shorten(mask.text(summary)),
    ...(workFolder === null ? {} : { work_folder: mask.text(workFolder) }),
    commit_sha: commitSha,
    script_started_at: scriptStartedAt,
    ended_at: clock.now(),
    log: {
      ...(await options.guard.close()),
      omitted_bytes: omittedBytes,
      possibly_truncated: end !== null && !end.complete,
    },
    artifacts: collected.artifacts,
    warnings: [...sourceWarnings, ...warnings].map(mask.text),
  };
}

function openLog(options: RunOptions, onBroken: (error: unknown) => void): BuildLog {
  const { spec, spool, mask, clock, limits, on } = options;
  const { head_bytes, tail_bytes } = spec.log;
  return createBuildLog({
    mask,
    window: createLogWindow({ headBytes: head_bytes, tailBytes: tail_bytes }, spool.write, on.marked),
    clock,
    batchBytes: limits.outputBatchBytes,
    batchMs: limits.outputBatchMs,
    floodBytes: limits.outputFloodBytes,
    floodMs: limits.outputFloodMs,
    onWritten: on.spooled,
    onBroken,
  });
}

async function prepare(options: RunOptions): Promise<MacPaths> {
  const paths = await prepareFolders(options);
  createToldFiles(toldOf(options), options.spec.script);
  return paths;
}

/** Returns the paths of the attempt's files that the build knows. */
function toldOf({ spec, driver }: Pick<RunOptions, 'spec' | 'driver'>): ToldFiles {
  return toldFiles(driver.paths(spec.slot_id).runs, spec);
}

async function chooseXcode({ spec, driver }: RunOptions, log: BuildLog): Promise<string | null> {
  if (spec.xcode === null) return null;
  const folder = await driver.developerDir(spec.xcode);
  if (folder === null) {
    const message = `Xcode ${spec.xcode} is not installed on the host that was to run this build.`;
    throw new BuildStepError('xcode', 'xcode_missing', 'platform', message);
  }
  log.line(`Xcode ${spec.xcode}`);
  return folder;
}

function open(
  options: RunOptions,
  log: BuildLog,
  paths: MacPaths,
  found: { commit: string | null; developerDir: string | null },
): Terminal {
  const { spec, driver, limits, on } = options;
  const told = toldOf(options);
  const env = buildEnvironment({ ...options, ...found, paths, artifacts: told.artifacts });
  const command = wrapperCommand(told.script, spec.script, limits.endMarkWaitS);
  return openTerminal(driver.launch(spec.slot_id, command, env, paths.work), {
    columns: limits.terminalColumns,
    rows: limits.terminalRows,
    onOutput(bytes) {
      on.output();
      log.write(bytes);
    },
  });
}

async function script(options: RunOptions, openTerminal: () => Terminal): Promise<ScriptRun> {
  try {
    return await runOn(options, openTerminal());
  } catch (error) {
    throw explainNotStarted(error, options.secrets);
  }
}

function runOn(options: RunOptions, terminal: Terminal): Promise<ScriptRun> {
  const { spec, driver, halt, clock, limits, ancestor } = options;
  const mark = processMark(toldOf(options));
  return runScript({
    terminal,
    signal: halt.signal,
    // After an error of the host there is no reason to wait.
    killGraceMs: () => (typeof halt.cause() === 'string' ? spec.kill_grace_ms : 0),
    signalProcesses: (session, signal) => driver.signal(spec.slot_id, { mark, session, ancestor }, signal),
    limits,
    clock,
  });
}

async function artifacts(options: RunOptions): Promise<Collected> {
  const { spec, files, mask, halt, limits, clock } = options;
  const grace = graceAfter(halt, clock, limits.stoppedArtifactsMs);
  try {
    return await collectArtifacts({
      from: toldOf(options).artifacts,
      to: files.kept,
      limits: { ...spec.artifacts, max_bundle_entries: limits.artifactBundleEntries },
      maskText: mask.text,
      scanFile: mask.scanFile,
      scanBytes: mask.scanBytes,
      signal: grace.signal,
    });
  } catch (error) {
    if (asStepError(error, 'artifacts').reasonCode === 'host_disk_full') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { artifacts: [], warnings: [`The artifacts could not be collected: ${reason}`] };
  } finally {
    grace.end();
  }
}

/**
 * Returns what ended the build early. A stop counts until the artifacts are collected; an error of the host only
 * until the script has exited.
 */
function causeOf(halt: Halt, end: ScriptRun | null): HaltCause | null {
  const cause = halt.cause();
  return typeof cause === 'string' || !end || end.interrupted ? cause : null;
}

function leftRunningWarning(end: { leftRunning: number } | null): string[] {
  if (!end || end.leftRunning === 0) return [];
  return [`${countOf(end.leftRunning, 'process', 'processes')} of this build could not be ended.`];
}

function shorten(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 599)}…`;
}
