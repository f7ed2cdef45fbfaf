// A build whose process has disappeared without a result: its remaining processes are killed, and it gets a result.

import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, fstatSync, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import { summaryFields, warningFields } from '../../shared/build.js';
import type { Clock } from '../../shared/clock.js';
import { isVirtual } from '../../shared/drivers.js';
import { writeDurably } from '../../shared/durable-file.js';
import { isErrno } from '../../shared/errno.js';
import { buildWarning } from '../../shared/messages/build-warnings.js';
import { failureCause } from '../../shared/messages/failure-causes.js';
import type { Message } from '../../shared/messages/message.js';
import type { BuildResult, BuildSpec, ServiceBytes, StopReason } from '../../shared/protocol/index.js';
import { type AttemptFiles, buildFiles, processMark } from '../contract/attempt-folder.js';
import { repairAttemptFolder } from '../contract/attempt-repair.js';
import { addRange, findServiceLines } from '../contract/service-ranges.js';
import { type AttemptEnd, createResultSigner } from '../contract/signed-result.js';
import type { AttemptState } from '../contract/takeover.js';
import type { MacDriver } from '../driver/driver.js';
import { killUntilGone } from '../driver/kill-until-gone.js';

/**
 * restarted: the machine was restarted. hung: the process did not answer and was killed. ended: the process has
 * exited.
 */
export type LossCause = 'restarted' | 'hung' | 'ended';

const SUMMARIES: Readonly<Record<LossCause, Message>> = {
  restarted: failureCause('host_restarted'),
  hung: failureCause('process_hung'),
  ended: failureCause('process_ended'),
};

export interface Loss {
  cause: LossCause;
  /** The stop that was requested before; the build then counts as stopped. */
  stop: StopReason | null;
}

/**
 * Returns the result of a lost build: a failure of the platform, or the stop that was requested.
 *
 * @param log null when the log is lost too
 */
export function lossResult(
  { cause, stop }: Loss,
  log: { bytes: number; sha256: string } | null,
  warnings: readonly Message[],
  now: number,
): BuildResult {
  const failure = {
    reason_code: cause === 'restarted' ? 'mac_lost' : 'internal_error',
    fault: 'platform',
    ...summaryFields(SUMMARIES[cause]),
  } as const;
  const stopped = { reason_code: null, fault: null, ...summaryFields(null) } as const;
  const empty = { bytes: 0, sha256: createHash('sha256').digest('hex'), lost: true };
  return {
    outcome: stop === null ? 'failed' : 'stopped',
    exit_code: null,
    stop_reason: stop,
    step: 'platform',
    ...(stop === null ? failure : stopped),
    script_started_at: null,
    ended_at: now,
    log: { ...(log ?? empty), omitted_bytes: 0, possibly_truncated: true },
    artifacts: [],
    ...warningFields(warnings),
  };
}

/** In the state file of an attempt whose process has ended. */
const NO_PROCESS = 0;

/**
 * Kills the build's remaining processes and writes its result, with the log so far.
 *
 * @param options.reported the last known length of the log, with the service's lines in it
 */
export async function recordLostBuild(options: {
  files: AttemptFiles;
  spec: BuildSpec;
  /** Boot id of the machine when the build was started. */
  boot: string;
  loss: Loss;
  reported: { logBytes: number; service: readonly ServiceBytes[] };
  driver: MacDriver;
  clock: Clock;
  killRoundsMs: number;
}): Promise<AttemptEnd> {
  const { files, spec, loss, reported, driver, clock } = options;
  // The session id may have been reused.
  const mark = processMark(buildFiles(driver.runs(spec.slot_id), spec));
  const processes = { mark, session: null };
  const kill = () => driver.signal(spec.slot_id, processes, 'SIGKILL');
  const killed = killUntilGone(kill, clock, options.killRoundsMs).then(leftWarnings);
  // The log must not be lost because a virtual machine does not answer.
  const warnings = await (!isVirtual(driver.kind) ? killed : killed.catch(notEndedWarnings));
  const logLost = !holdsLog(files.spool, reported.logBytes);
  await repairAttemptFolder(files);
  rmSync(files.reserve, { force: true });
  // A build of the local driver may have written to the log after the last report.
  const later = logLost || !isVirtual(driver.kind) ? [] : await findServiceLines(files.spool, reported.logBytes);
  const service = logLost ? [] : [...reported.service.map(([from, to]): ServiceBytes => [from, to])];
  for (const [from, to] of later) addRange(service, from, to);
  const added = appendServiceLine(files.spool, `[cidermill] ${SUMMARIES[loss.cause].text}\n`);
  if (added) addRange(service, ...added);
  const log = logLost ? null : await measureLog(files.spool);
  const result = lossResult(loss, log, warnings, clock.now());
  const signer = createResultSigner();
  const state: AttemptState = { pid: NO_PROCESS, boot: options.boot, result_key: signer.key };
  // The build may have deleted both; without them a later daemon would not find the attempt.
  if (!lstatSync(files.spec, { throwIfNoEntry: false })) writeDurably(files.spec, JSON.stringify(spec));
  writeDurably(files.state, JSON.stringify(state));
  const end = { result, service };
  writeDurably(files.result, signer.sign(end));
  return end;
}

const leftWarnings = (left: number): Message[] => (left > 0 ? [buildWarning('processes_left', { count: left })] : []);

function notEndedWarnings(error: unknown): Message[] {
  const reason = error instanceof Error ? error.message : String(error);
  return [buildWarning('processes_unknown', { reason })];
}

/** Returns whether there is a log of at least this length. */
function holdsLog(spool: string, bytes: number): boolean {
  try {
    const found = lstatSync(spool);
    return found.isFile() && found.size >= bytes;
  } catch {
    // The file is missing, or is not in a real folder.
    return false;
  }
}

/** Returns the byte range of the line, or null if the disk is full. */
function appendServiceLine(spool: string, line: string): ServiceBytes | null {
  try {
    appendFileSync(spool, `${endsWithLine(spool) ? '' : '\n'}${line}`, { mode: 0o600 });
    const { size } = lstatSync(spool);
    return [size - Buffer.byteLength(line), size];
  } catch (error) {
    // The summary of the result has the same text.
    if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
    return null;
  }
}

function endsWithLine(file: string): boolean {
  const fd = openSync(file, 'a+', 0o600);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1, '\n');
    if (size > 0) readSync(fd, last, 0, 1, size - 1);
    return last[0] === 0x0a;
  } finally {
    closeSync(fd);
  }
}

async function measureLog(spool: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(spool, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
