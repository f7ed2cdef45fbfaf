// The daemon's side of the builds: starts their processes, hears how they do, and finds them again after a restart.
import path from 'node:path';
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type {
  BuildFact,
  BuildResult,
  BuildSecret,
  BuildSpec,
  StopReason,
} from '../../shared/protocol/index.js';
import { type AttemptRef, attemptName, processMark } from '../contract/attempt-folder.js';
import type { MacDriver } from '../driver/driver.js';
import { killUntilGone } from '../driver/kill-until-gone.js';
import { runsProgram } from '../driver/process-table.js';
import { type BuildLimits, defaultBuildLimits } from '../limits.js';
import { killGroup } from '../system/kill-group.js';
import { directly, type NetworkSettings } from '../system/network.js';
import { pause, within } from '../system/waiting.js';
import { bootId } from './boot-id.js';
import { openBuildsFolder } from './builds-folder.js';
import { createControlAddresses } from './control-address.js';
import { type ChannelEvents, type DaemonChannel, handOver, reconnect } from './handover.js';
import { lossResult, recordLostBuild } from './lost-build.js';
import { BUILD_PROGRAM, createWarmPool } from './warm-pool.js';

export interface BuildEvents {
  /** State or activity of an attempt has changed. */
  onFact(fact: BuildFact): void;
  /** The masked log has grown to `logBytes`. */
  onOutput(ref: AttemptRef, logBytes: number): void;
  onFinished(ref: AttemptRef, result: BuildResult): void;
}

export interface BuildSupervisor {
  /**
   * Resolves when a process of its own runs the attempt, whatever becomes of this one. Repeating it is harmless.
   * @throws BuildStepError (host_disk_full, internal_error) when it could not be started; nothing of it is left
   */
  start(spec: BuildSpec, secrets: readonly BuildSecret[]): Promise<void>;
  /** Begins to stop an attempt; its end is told like every other. The first reason counts. */
  stop(ref: AttemptRef, reason: StopReason): void;
  /** Every attempt that this host has and has not forgotten. */
  facts(): BuildFact[];
  /** The slot that the attempt was given, or null for an unknown attempt. */
  slotOf(ref: AttemptRef): string | null;
  /** Null until the attempt has ended. */
  result(ref: AttemptRef): BuildResult | null;
  /** Fills `into` with the masked log from an offset on, as far as there is any; answers how many bytes that were. */
  readLog(ref: AttemptRef, offset: number, into: Buffer): Promise<number>;
  /** Where an artifact of an ended attempt lies. Throws a RangeError for one that it does not have. */
  artifactFile(ref: AttemptRef, name: string): string;
  /** Removes everything of an attempt that has ended. Harmless when it is unknown. */
  forget(ref: AttemptRef): Promise<void>;
  /** Takes over what earlier daemons left: running builds, ended ones, and such as have lost their process. */
  adopt(): Promise<void>;
  /** Lets go of the builds; they go on. */
  close(): Promise<void>;
}

const DROPPED_MS = 100;
/** A process whose result is there needs less than this to go. */
const LEAVING_MS = 1_000;

interface Tracked {
  readonly ref: AttemptRef;
  readonly spec: BuildSpec;
  state: 'starting' | 'running' | 'finished';
  logBytes: number;
  lastOutputAt: number | null;
  commitSha: string | null;
  result: BuildResult | null;
  channel: DaemonChannel | null;
  stop: StopReason | null;
  /** Fires when it should have stopped long ago. */
  stopLate: Timer | null;
  /** Failures in a row to find out what became of it. */
  unsettled: number;
  /** Its process did not answer any more. */
  hung: boolean;
  boot: string;
  /** Resolves when a process owns it. */
  owned: Promise<void>;
}

/**
 * @param options.link read for every build: where its sources come from
 * @example
 * const builds = createBuildSupervisor({ dataDir, driver, log, clock: systemClock, link: () => address, events });
 * await builds.adopt();
 * await builds.start(spec, secrets);
 */
export function createBuildSupervisor(options: {
  dataDir: string;
  driver: MacDriver;
  log: Log;
  clock: Clock;
  link: () => { siteUrl: string; credential: string };
  events: BuildEvents;
  /** Default: no proxy, and the public certificate authorities. */
  network?: NetworkSettings;
  /** Read for every build; those that run keep theirs. */
  limits?: () => Partial<BuildLimits>;
  /** The program of the build processes, if not `runner/main.js` of this package. */
  buildProgram?: string;
}): BuildSupervisor {
  const { driver, log, clock, events } = options;
  const limits = (): BuildLimits => ({ ...defaultBuildLimits, ...options.limits?.() });
  const disk = openBuildsFolder(options.dataDir, { clock, unfinishedMs: limits().handoverMs });
  const warmPool = createWarmPool({
    count: () => limits().warmProcesses,
    refillMs: () => limits().warmRefillMs,
    clock,
    program: options.buildProgram,
    errorFile: path.join(path.resolve(options.dataDir), 'build-processes.log'),
  });
  const addresses = createControlAddresses(disk.folder);
  const boot = bootId();
  const builds = new Map<string, Tracked>();
  let closing = false;

  const factOf = (build: Tracked): BuildFact => ({
    ...build.ref,
    state: build.state,
    log_bytes: build.logBytes,
    last_output_at: build.lastOutputAt,
    commit_sha: build.commitSha,
  });
  const track = (spec: BuildSpec, bootOfStart: string): Tracked => {
    const { build_id, attempt } = spec;
    const build: Tracked = {
      ref: { build_id, attempt },
      spec,
      state: 'starting',
      logBytes: 0,
      lastOutputAt: null,
      commitSha: null,
      result: null,
      channel: null,
      stop: null,
      stopLate: null,
      unsettled: 0,
      hung: false,
      boot: bootOfStart,
      owned: Promise.resolve(),
    };
    builds.set(attemptName(spec), build);
    return build;
  };
  const grown = (build: Tracked, logBytes: number) => {
    if (logBytes <= build.logBytes) return;
    build.logBytes = logBytes;
    events.onOutput(build.ref, logBytes);
  };
  const finished = (build: Tracked, result: BuildResult) => {
    if (build.state === 'finished') return;
    build.channel?.destroy();
    build.channel = null;
    build.stopLate?.cancel();
    build.state = 'finished';
    build.result = result;
    build.commitSha = result.commit_sha ?? build.commitSha;
    grown(build, result.log.bytes);
    events.onFact(factOf(build));
    events.onFinished(build.ref, result);
    warmPool.ended();
  };

  const eventsOf = (build: Tracked): ChannelEvents => ({
    opened(channel) {
      build.channel = channel;
      if (build.stop !== null) channel.send({ type: 'stop', reason: build.stop });
    },
    message(message) {
      if (message.type !== 'state') return void settleSoon(build, true);
      build.state = 'running';
      build.lastOutputAt = message.last_output_at;
      build.commitSha = message.commit_sha ?? null;
      grown(build, message.log_bytes);
      events.onFact(factOf(build));
    },
    hung: () => endHung(build, 'its process does not answer'),
    closed() {
      build.channel = null;
      void settleSoon(build);
    },
  });

  const endHung = (build: Tracked, why: string) => {
    log.error({ ...build.ref }, `ending the process of a build: ${why}`);
    build.hung = true;
    endProcess(build).catch((error: unknown) => {
      log.error({ err: error, ...build.ref }, 'cannot end the process of a build');
    });
  };

  const processRuns = async (build: Tracked): Promise<number | null> => {
    const pid = disk.processOf(build.ref);
    return pid !== null && (await runsProgram(pid, options.buildProgram ?? BUILD_PROGRAM)) ? pid : null;
  };

  const killMarked = (build: Tracked, ancestor?: number) => {
    const processes = { mark: processMark(disk.filesOf(build.ref).folder), session: null, ancestor };
    const kill = () => driver.signal(build.spec.slot_id, processes, 'SIGKILL');
    return killUntilGone(kill, clock, limits().killRoundsMs);
  };

  /** Kills the build's process, if it still runs, after everything that it has started. */
  const endProcess = async (build: Tracked) => {
    const pid = await processRuns(build);
    if (pid === null) return;
    // While their ancestor lives, none of its descendants can be lost sight of.
    await killMarked(build, pid);
    killGroup(pid, 'SIGKILL');
  };

  /**
   * Finds out what became of a build by what is there: its result, its process, or neither. A result that stands there
   * while the process goes on is not its own, unless the process itself has said that it has `ended`.
   */
  const settle = async (build: Tracked, ended: boolean): Promise<void> => {
    const files = disk.filesOf(build.ref);
    const address = addresses.of(files.control);
    const { handoverMs: waitMs, hungMs, killRoundsMs } = limits();
    while (!closing && build.state !== 'finished' && builds.get(attemptName(build.ref)) === build) {
      const result = disk.resultOf(build.ref);
      if (result && ended) return finished(build, result);
      if (result && (await processRuns(build)) === null) {
        // Whoever wrote it, nothing of the build may go on.
        await killMarked(build);
        return finished(build, result);
      }
      const process = await reconnect(address, { clock, waitMs, hungMs, events: eventsOf(build) });
      if (process === 'there') return;
      build.channel = null;
      // A process that is just ending lets go of its connections before it leaves the socket.
      if (process === 'dropped') await pause(clock, DROPPED_MS);
      if (process === 'dropped' || closing) continue;
      if (disk.resultOf(build.ref)) await gone(build, LEAVING_MS);
      // One that nobody can reach any more must not go on unseen.
      await endProcess(build);
      if (disk.resultOf(build.ref)) continue;
      const { spec, logBytes } = build;
      const loss = await lossOf(build);
      finished(build, await recordLostBuild({ files, spec, loss, logBytes, driver, clock, killRoundsMs }));
    }
  };
  const gone = async (build: Tracked, forMs: number) => {
    const deadline = clock.now() + forMs;
    while ((await processRuns(build)) !== null && clock.now() < deadline) await pause(clock, DROPPED_MS);
  };
  const lossOf = async (build: Tracked) => {
    const cause = build.boot !== (await boot) ? 'restarted' : build.hung ? 'hung' : 'ended';
    return { cause, stop: build.stop } as const;
  };
  const settleSoon = (build: Tracked, ended = false): Promise<void> =>
    settle(build, ended).catch(async (error: unknown) => {
      build.unsettled += 1;
      log.error({ err: error, ...build.ref }, 'cannot find out what became of a build');
      if (build.unsettled >= limits().settleAttempts) {
        // It cannot be kept on this disk; the next daemon comes to the same end.
        finished(build, lossResult(await lossOf(build), null, [], clock.now()));
        return;
      }
      clock.setTimeout(() => void settleSoon(build, ended), limits().settleRetryMs);
    });

  const hand = async (build: Tracked, secrets: readonly BuildSecret[]) => {
    build.boot = await boot;
    const { siteUrl, credential } = options.link();
    const { handoverMs: waitMs, hungMs } = limits();
    const owned = await handOver(
      warmPool.take(),
      {
        type: 'start',
        data_dir: path.resolve(options.dataDir),
        spec: build.spec,
        secrets: [...secrets],
        link: { site_url: siteUrl, credential },
        network: options.network ?? directly,
        driver: driver.spec,
        boot: build.boot,
        limits: { ...options.limits?.() },
      },
      { clock, waitMs, hungMs, events: eventsOf(build) },
    );
    if (!owned) await settle(build, false);
  };

  return {
    start(spec, secrets) {
      const name = attemptName(spec);
      const known = builds.get(name);
      if (known) return known.owned;
      const build = track(spec, '');
      build.owned = hand(build, secrets).catch((error: unknown) => {
        if (build.state === 'starting') builds.delete(name);
        throw error;
      });
      return build.owned;
    },
    stop(ref, reason) {
      const build = builds.get(attemptName(ref));
      if (!build || build.stop !== null) return;
      build.stop = reason;
      build.channel?.send({ type: 'stop', reason });
      const late = build.spec.kill_grace_ms + limits().killRoundsMs + limits().stopMs;
      build.stopLate = clock.setTimeout(() => endHung(build, `it was told to stop ${late} ms ago`), late);
    },
    facts: () => [...builds.values()].map(factOf),
    slotOf: (ref) => builds.get(attemptName(ref))?.spec.slot_id ?? null,
    result: (ref) => builds.get(attemptName(ref))?.result ?? null,
    readLog: (ref, offset, into) => disk.readLog(ref, offset, into),
    artifactFile(ref, name) {
      const artifacts = builds.get(attemptName(ref))?.result?.artifacts ?? [];
      const number = artifacts.findIndex((artifact) => artifact.name === name);
      if (number < 0) throw new RangeError(`${attemptName(ref)} has no artifact ${JSON.stringify(name)}`);
      return path.join(disk.filesOf(ref).kept, String(number));
    },
    async forget(ref) {
      const name = attemptName(ref);
      const build = builds.get(name);
      if (build && build.state !== 'finished') throw new Error(`${name} has not ended`);
      await disk.remove(ref);
      builds.delete(name);
    },
    async adopt() {
      const found = (await disk.attempts()).filter(({ ref }) => !builds.has(attemptName(ref)));
      const settled = found.map(({ spec, boot: bootOfStart }) => {
        const build = track(spec, bootOfStart);
        build.state = 'running';
        return settleSoon(build);
      });
      await within(Promise.all(settled), clock, limits().handoverMs, null);
    },
    async close() {
      closing = true;
      await Promise.allSettled([...builds.values()].map((build) => build.owned));
      for (const build of builds.values()) {
        build.stopLate?.cancel();
        build.channel?.destroy();
      }
      warmPool.close();
      addresses.close();
    },
  };
}
