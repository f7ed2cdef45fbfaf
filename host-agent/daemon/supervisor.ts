// The daemon's side of builds: starts their processes, follows their state, and reconnects to them after a restart.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type {
  BuildFact,
  BuildResult,
  BuildSecret,
  BuildSpec,
  ServiceBytes,
  StopReason,
} from '../../shared/protocol/index.js';
import { type AttemptRef, attemptName } from '../contract/attempt-folder.js';
import type { MacDriver } from '../driver/driver.js';
import { type BuildLimits, defaultBuildLimits } from '../limits.js';
import { directly, type NetworkSettings } from '../system/network.js';
import { within } from '../system/within.js';
import { openBuildsFolder } from './builds-folder.js';
import { createControlAddresses } from './control-address.js';
import { endHungProcess } from './end-process.js';
import { handOver } from './handover.js';
import { channelEvents, settle, settleWithRetries } from './settle-build.js';
import {
  type BuildEvents,
  factOf,
  type Supervision,
  silentMs,
  type TrackedBuild,
  trackBuild,
} from './tracked-build.js';
import { createWarmPool } from './warm-pool.js';

export interface BuildSupervisor {
  /**
   * Resolves when a separate process owns the attempt; from then on it survives this daemon. Idempotent.
   *
   * @throws BuildStepError (host_disk_full, internal_error) when it could not be started; nothing is left behind
   */
  start(spec: BuildSpec, secrets: readonly BuildSecret[]): Promise<void>;
  /** Starts stopping an attempt; `onFinished` reports its end. The first reason wins. */
  stop(ref: AttemptRef, reason: StopReason): void;
  /** Returns every attempt that has not been removed with `forget`. */
  facts(): BuildFact[];
  /** Returns the attempt's slot, or null for an unknown attempt. */
  slotOf(ref: AttemptRef): string | null;
  /** Returns whether the attempt was started after the last boot of the machine; false for an unknown attempt. */
  isOfThisBoot(ref: AttemptRef): Promise<boolean>;
  /** Returns the result, or null until the attempt has ended. */
  result(ref: AttemptRef): BuildResult | null;
  /**
   * Reads the masked log from `offset` into `into`; returns the number of bytes read, 0 at its end. Bytes beyond the reported
   * length may be read before their service lines are known.
   */
  readLog(ref: AttemptRef, offset: number, into: Buffer): Promise<number>;
  /** Returns the byte ranges of the service's lines in a part of the log up to its reported length, in order. */
  serviceLines(ref: AttemptRef, from: number, to: number): ServiceBytes[];
  /** Returns how long ago the build printed last, ms; null if it has not, or that is not known. */
  silentMs(ref: AttemptRef): number | null;
  /** Returns the path of an artifact of an ended attempt. Throws a RangeError when there is no such artifact. */
  artifactFile(ref: AttemptRef, name: string): string;
  /** Deletes all files of an ended attempt. Does nothing for an unknown attempt. */
  forget(ref: AttemptRef): Promise<void>;
  /** Adopts the attempts of earlier daemons: running, ended, and those whose process is gone. */
  adopt(): Promise<void>;
  /** Disconnects from the builds, which go on running. */
  close(): Promise<void>;
}

export interface SupervisorOptions {
  dataDir: string;
  driver: MacDriver;
  log: Log;
  clock: Clock;
  /** Read for every build: the service that its sources are fetched from. */
  link: () => { siteUrl: string; credential: string };
  events: BuildEvents;
  /** Default: no proxy, and the public certificate authorities. */
  network?: NetworkSettings;
  /** Read for every build; a running build keeps the limits that it was started with. */
  limits?: () => Partial<BuildLimits>;
  /** Default: `runner/main.js` of this package. */
  buildProgram?: string | undefined;
}

/**
 * Creates the supervisor of this host's builds. Call `adopt` before the first `start`.
 *
 * @example
 * const builds = createBuildSupervisor({ dataDir, driver, log, clock: systemClock, link: () => address, events });
 * await builds.adopt();
 * await builds.start(spec, secrets);
 */
export function createBuildSupervisor(options: SupervisorOptions): BuildSupervisor {
  const supervision = openSupervision(options);
  const { disk, driver, clock, limits, builds } = supervision;
  const find = (ref: AttemptRef) => builds.get(attemptName(ref));

  return {
    start(spec, secrets) {
      const known = find(spec);
      if (known) return known.owned;
      const build = trackBuild(supervision, spec, '');
      build.owned = giveToProcess(supervision, options, build, secrets).catch((error: unknown) => {
        if (build.state === 'starting') builds.delete(attemptName(spec));
        throw error;
      });
      return build.owned;
    },
    stop(ref, reason) {
      const build = find(ref);
      if (!build || build.stop !== null) return;
      build.stop = reason;
      build.channel?.send({ type: 'stop', reason });
      const ms = build.spec.kill_grace_ms + limits().killRoundsMs + limits().stopMs;
      const overdue = () => endHungProcess(supervision, build, `it was asked to stop ${ms} ms ago`);
      build.stopTimer = clock.setTimeout(overdue, ms);
    },
    facts: () => [...builds.values()].map((build) => factOf(supervision, build)),
    slotOf: (ref) => find(ref)?.spec.slot_id ?? null,
    async isOfThisBoot(ref) {
      const boot = find(ref)?.boot;
      return boot === (await supervision.boot);
    },
    result: (ref) => find(ref)?.result ?? null,
    readLog: (ref, offset, into) => disk.readLog(ref, offset, into),
    silentMs(ref) {
      const build = find(ref);
      return build ? silentMs(supervision, build) : null;
    },
    serviceLines: (ref, from, to) => (find(ref)?.service ?? []).filter(([start, end]) => start < to && end > from),
    artifactFile(ref, name) {
      const artifacts = find(ref)?.result?.artifacts ?? [];
      const number = artifacts.findIndex((artifact) => artifact.name === name);
      if (number < 0) throw new RangeError(`${attemptName(ref)} has no artifact ${JSON.stringify(name)}`);
      return path.join(disk.filesOf(ref).kept, String(number));
    },
    async forget(ref) {
      const build = find(ref);
      if (build && build.state !== 'finished') throw new Error(`${attemptName(ref)} has not ended`);
      if (build) await driver.removeRun(build.spec.slot_id, attemptName(ref));
      await disk.remove(ref);
      builds.delete(attemptName(ref));
    },
    async adopt() {
      const found = (await disk.attempts()).filter(({ ref }) => !find(ref));
      const settled = found.map(({ spec, boot, resultKey }) => {
        const build = trackBuild(supervision, spec, boot);
        build.resultKey = resultKey;
        build.state = 'running';
        return settleWithRetries(supervision, build);
      });
      await within(Promise.all(settled), clock, limits().handoverMs, null);
    },
    close: () => close(supervision),
  };
}

function openSupervision(options: SupervisorOptions): Supervision {
  const { driver, log, clock, events } = options;
  const limits = (): BuildLimits => ({ ...defaultBuildLimits, ...options.limits?.() });
  const disk = openBuildsFolder(options.dataDir, { clock, unfinishedMs: limits().handoverMs });
  const warmPool = createWarmPool({
    count: () => limits().warmProcesses,
    refillMs: () => limits().warmRefillMs,
    clock,
    ...(options.buildProgram === undefined ? {} : { program: options.buildProgram }),
    errorFile: path.join(path.resolve(options.dataDir), 'build-processes.log'),
  });
  const addresses = createControlAddresses(disk.folder, path.join(path.resolve(options.dataDir), 'short-path'));
  const state = { builds: new Map<string, TrackedBuild>(), closing: false };
  return { driver, disk, addresses, warmPool, clock, log, events, limits, boot: bootId(), ...state };
}

async function giveToProcess(
  supervision: Supervision,
  options: SupervisorOptions,
  build: TrackedBuild,
  secrets: readonly BuildSecret[],
): Promise<void> {
  const { clock, driver, warmPool } = supervision;
  build.boot = await supervision.boot;
  const { siteUrl, credential } = options.link();
  const { handoverMs: waitMs, hungMs } = supervision.limits();
  const owned = await handOver(
    warmPool.take(),
    {
      type: 'start',
      data_dir: path.resolve(options.dataDir),
      builds_dir: supervision.disk.folder,
      spec: build.spec,
      secrets: [...secrets],
      link: { site_url: siteUrl, credential },
      network: options.network ?? directly,
      driver: driver.spec,
      boot: build.boot,
      limits: { ...options.limits?.() },
    },
    { clock, waitMs, hungMs, events: channelEvents(supervision, build) },
  );
  if (owned) return;
  // The process of an earlier daemon took the attempt over after this daemon had looked for attempts. It may have
  // ended since, so that nothing but the disk says how its result is signed.
  build.resultKey = supervision.disk.resultKeyOf(build.ref);
  await settle(supervision, build, false);
}

async function close(supervision: Supervision): Promise<void> {
  supervision.closing = true;
  const builds = [...supervision.builds.values()];
  await Promise.allSettled(builds.map((build) => build.owned));
  for (const build of builds) {
    build.stopTimer?.cancel();
    build.channel?.destroy();
  }
  supervision.warmPool.close();
  supervision.addresses.close();
}

/** Returns the boot id of the machine, which changes with every restart. */
async function bootId(): Promise<string> {
  if (process.platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const { stdout } = await promisify(execFile)('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
  return stdout.trim();
}
