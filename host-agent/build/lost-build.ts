// A build whose process has disappeared without a result: nothing of it may go on, and it gets the result it lacks.
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import type { Clock } from '../../shared/clock.js';
import type { BuildResult, BuildSpec } from '../../shared/protocol/index.js';
import type { MacDriver } from '../driver/driver.js';
import { killUntilGone } from '../driver/kill-until-gone.js';
import { isErrno, writeDurably } from '../durable-file.js';
import { type AttemptFiles, processMark } from './attempt-folder.js';

/** What became of the process: the machine was restarted; it did not answer, and was killed; it was just not there. */
export type LossCause = 'restarted' | 'hung' | 'ended';

const told: Readonly<Record<LossCause, string>> = {
  restarted: 'The host was restarted while the build ran.',
  hung: 'The process that ran the build on the host stopped answering and was ended.',
  ended: 'The process that ran the build on the host ended unexpectedly.',
};

/** Ends what is left of the build and writes its result: a failure of the platform, with the log so far. */
export async function recordLostBuild(options: {
  files: AttemptFiles;
  spec: BuildSpec;
  cause: LossCause;
  driver: MacDriver;
  clock: Clock;
  killRoundsMs: number;
}): Promise<BuildResult> {
  const { files, spec, driver, clock } = options;
  // The number of its session may by now be another's.
  const processes = { mark: processMark(files.folder), session: null };
  const kill = () => driver.signal(spec.slot_id, processes, 'SIGKILL');
  const left = await killUntilGone(kill, clock, options.killRoundsMs);
  rmSync(files.reserve, { force: true });
  const summary = `${told[options.cause]} The build can be run again unchanged.`;
  sayInLog(files.spool, summary);
  const result: BuildResult = {
    outcome: 'failed',
    exit_code: null,
    stop_reason: null,
    step: 'platform',
    reason_code: options.cause === 'restarted' ? 'mac_lost' : 'internal_error',
    fault: 'platform',
    summary,
    script_started_at: null,
    ended_at: clock.now(),
    log: { ...(await measureLog(files.spool)), omitted_bytes: 0, possibly_truncated: true },
    artifacts: [],
    warnings: left > 0 ? [`${left} processes of this build could not be ended.`] : [],
  };
  writeDurably(files.result, JSON.stringify(result));
  return result;
}

function sayInLog(spool: string, text: string): void {
  try {
    appendFileSync(spool, `${endsWithLine(spool) ? '' : '\n'}[cidermill] ${text}\n`, { mode: 0o600 });
  } catch (error) {
    // The result says it too; the log is only the better place.
    if (!isErrno(error, 'ENOSPC') && !isErrno(error, 'EDQUOT')) throw error;
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
