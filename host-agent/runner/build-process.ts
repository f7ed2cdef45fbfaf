// The main function of a build process: waits for a start message, takes over the attempt, runs it, and writes the
// result.
import { rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { CommitAbout } from '../../shared/build.js';
import type { Clock, Timer } from '../../shared/clock.js';
import { writeDurably } from '../../shared/durable-file.js';
import { errnoOf, unless } from '../../shared/errno.js';
import type { ServiceBytes, StepTime } from '../../shared/protocol/index.js';
import type { AttemptFiles } from '../contract/attempt-folder.js';
import { repairAttemptFolder } from '../contract/attempt-repair.js';
import { asStepError } from '../contract/build-step-error.js';
import type { StartOrder } from '../contract/control.js';
import { addRange } from '../contract/service-ranges.js';
import { createResultSigner } from '../contract/signed-result.js';
import { persist, stopListening, takeOver } from '../contract/takeover.js';
import type { BuildMac } from '../driver/build-mac.js';
import { defaultBuildLimits } from '../limits.js';
import { type AttemptGuard, guardAttempt } from './attempt-guard.js';
import type { BuildMask } from './build-mask.js';
import { createHalt, type Halt } from './halt.js';
import { type BuildState, createReporter, type DaemonOrder, type Reporter } from './reporter.js';
import { runBuild } from './run.js';
import type { CheckOutSources } from './run-options.js';
import type { Spool } from './spool.js';

export interface BuildProcessParts {
  clock: Clock;
  /** @param ancestor this process, if all its descendants belong to its build */
  openMac(order: StartOrder, ancestor?: number): BuildMac;
  maskFor(order: StartOrder): BuildMask;
  sourcesFor(order: StartOrder): CheckOutSources;
  openSpool(file: string): Spool;
  /** This process, if all its descendants belong to its build. */
  ancestor?: number;
}

/**
 * Serves the daemon that started this process, over the pipe between them. If the daemon exits before the start
 * message, so does this process; after it, the build goes on alone, and later daemons connect to its control socket.
 *
 * @returns the build's halt, and a promise that resolves when the process has nothing left to do
 */
export function serveOneBuild(starter: Socket, parts: BuildProcessParts): { halt: Halt; done: Promise<void> } {
  const halt = createHalt();
  const reporter = createReporter(parts.clock);
  const done = new Promise<void>((resolve, reject) => {
    let begun = false;
    const channel = reporter.listen(starter, {
      message(message) {
        if (message.type === 'stop') return halt.request(message.reason);
        if (begun) return;
        begun = true;
        carryOut(message, { halt, reporter, parts })
          .catch((error: unknown) => {
            if (!(error instanceof NotTakenOver)) throw error;
            channel.send({ type: 'refused', code: error.code, message: error.message });
            return reporter.finished();
          })
          .then(resolve, reject);
      },
      closed: () => begun || resolve(),
    });
  });
  return { halt, done };
}

class NotTakenOver extends Error {
  readonly code: string;
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errnoOf(cause) ?? 'unknown';
  }
}

/** Takes over the attempt, runs it and writes its result. Throws NotTakenOver. */
export async function carryOut(
  order: StartOrder,
  { halt, reporter, parts }: { halt: Halt; reporter: Reporter; parts: BuildProcessParts },
): Promise<void> {
  const { clock } = parts;
  const { spec } = order;
  const limits = { ...defaultBuildLimits, ...order.limits };
  const onLateMessage = (message: DaemonOrder) => {
    if (message.type === 'stop') halt.request(message.reason);
  };
  const signer = createResultSigner();
  const state = { pid: process.pid, boot: order.boot, result_key: signer.key };
  const { files, server, tools } = await takeOver({
    buildsDir: order.builds_dir,
    spec,
    state,
    reserveBytes: limits.reserveBytes,
    onConnection: (socket) => void reporter.listen(socket, { message: onLateMessage }),
    // Everything that can fail has to fail before the takeover.
    prepare: (making) => ({
      mac: parts.openMac(order, parts.ancestor),
      mask: parts.maskFor(order),
      checkOutSources: parts.sourcesFor(order),
      spool: parts.openSpool(making.spool),
    }),
  }).catch((error: unknown) => Promise.reject(new NotTakenOver(error)));

  const guard = guardAttempt(files, tools.spool, () => {
    writeFileSync(files.spec, JSON.stringify(spec), { mode: 0o600 });
    writeFileSync(files.state, JSON.stringify(state), { mode: 0o600 });
  });
  const folderWatch = watchFolder(guard, halt, clock, limits.folderCheckMs);

  const steps: StepTime[] = [];
  let commitSha: string | null = null;
  let commitAbout: CommitAbout | null = null;
  const service: ServiceBytes[] = [];
  let lastOutput: { at: number; monotonic: number } | null = null;
  reporter.begin(
    (): BuildState => ({
      type: 'state',
      build_id: spec.build_id,
      attempt: spec.attempt,
      step: steps.at(-1)?.step ?? 'prepare',
      log_bytes: tools.spool.bytes(),
      last_output_at: lastOutput?.at ?? null,
      silent_ms: lastOutput === null ? null : clock.monotonic() - lastOutput.monotonic,
      commit_sha: commitSha,
      commit_about: commitAbout,
      steps: [...steps],
      service,
      result_key: signer.key,
    }),
    spec.output_report_ms,
  );
  persist(files).then(reporter.owned, (error: unknown) => halt.request(asStepError(error, 'prepare')));
  const result = await runBuild({
    ...tools,
    spec,
    secrets: order.secrets,
    files,
    guard,
    halt,
    limits,
    clock,
    on: {
      step(next) {
        steps.push(next);
        reporter.changed();
      },
      checkedOut(commit, about) {
        commitSha = commit;
        commitAbout = about;
        if (commit !== null) reporter.changed();
      },
      output() {
        lastOutput = { at: clock.now(), monotonic: clock.monotonic() };
      },
      spooled: reporter.active,
      marked: (from, to) => addRange(service, from, to),
    },
  });
  folderWatch.stop();
  await record(files, signer.sign({ result, service }));
  continueDaemon();
  await reporter.finished();
  stopListening(files, server);
}

/**
 * Resumes the daemon (SIGCONT) if the build has stopped it: no other process does. If the daemon has ended, the signal goes
 * to another parent and has no effect.
 */
function continueDaemon(): void {
  if (process.ppid > 1) unless(['EPERM', 'ESRCH'], () => process.kill(process.ppid, 'SIGCONT'));
}

/** Halts the build when its folder has been changed. Polls, because there is no notification of such changes. */
function watchFolder(guard: AttemptGuard, halt: Halt, clock: Clock, everyMs: number): { stop(): void } {
  let timer: Timer;
  const look = () => {
    try {
      guard.check();
      timer = clock.setTimeout(look, everyMs);
    } catch (error) {
      halt.request(asStepError(error, 'platform'));
    }
  };
  timer = clock.setTimeout(look, everyMs);
  return { stop: () => timer.cancel() };
}

/** Writes the result. On a full disk, deleting the reserve file makes room for it. */
async function record(files: AttemptFiles, result: string): Promise<void> {
  await repairAttemptFolder(files);
  rmSync(files.reserve, { force: true });
  writeDurably(files.result, result);
}
