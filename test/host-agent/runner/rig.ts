// Fixtures for tests of the runner: a Mac, the folder of an attempt, and builds run in this process.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import {
  type AttemptRef,
  attemptFiles,
  attemptName,
  buildFiles,
  processMark,
} from '../../../host-agent/contract/attempt-folder.js';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { BuildMac } from '../../../host-agent/driver/build-mac.js';
import { createLocalDriver, type LocalDriver } from '../../../host-agent/driver/local.js';
import { type BuildLimits, defaultBuildLimits } from '../../../host-agent/limits.js';
import { createHalt, type Halt } from '../../../host-agent/runner/halt.js';
import { createLocalMac } from '../../../host-agent/runner/local-mac.js';
import { maskFor } from '../../../host-agent/runner/order-mask.js';
import { runBuild } from '../../../host-agent/runner/run.js';
import type { CheckOutSources } from '../../../host-agent/runner/run-options.js';
import { openSpool } from '../../../host-agent/runner/spool.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import type { BuildResult, BuildSecret, BuildSpec } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { sha256 } from '../../harness/sha256.js';

export const SLOT = 's1';
/** Shorter than on hosts, so that no test waits for it. */
const INPUT_QUIET_MS = 200;

/** Creates a folder that is deleted when the test ends. */
export function tempFolder(t: Test): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cidermill-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let builds = 0;

/** Returns a unique build of an empty upload. */
export function newSpec(script: string, more: Partial<BuildSpec> = {}): BuildSpec {
  builds += 1;
  return {
    build_id: `rb_${process.pid}_${builds}`,
    attempt: 1,
    account_id: 1,
    rental_id: 'rt_1',
    slot_id: SLOT,
    script,
    xcode: null,
    timeout_ms: 600_000,
    clean_tree: false,
    source: { kind: 'upload', upload_id: 'up_1', manifest_sha256: sha256(''), files: 0, total_bytes: 0 },
    source_key: 'upload:ws_1:app',
    labels: { repo: null, ref: null, commit: null, pr: null },
    log: { head_bytes: 64 * 1024 * 1024, tail_bytes: 256 * 1024 },
    kill_grace_ms: 10_000,
    artifacts: { max_files: 100, max_bytes: 100 * 1024 * 1024 },
    ...more,
  };
}

export interface Rig {
  dataDir: string;
  driver: LocalDriver;
  run(script: string, more?: RunMore): Promise<Ran>;
}

export interface RunMore {
  spec?: Partial<BuildSpec>;
  secrets?: BuildSecret[];
  limits?: Partial<BuildLimits>;
  clock?: Clock;
  checkOutSources?: CheckOutSources;
  whenLaid?: (halt: Halt) => void;
  /** Called when the build starts collecting its artifacts. */
  whileCollecting?: (halt: Halt) => void;
  /** Called with every chunk of the log as it is written; may throw like write(2). */
  writeTo?: (fd: number, bytes: Buffer, offset: number) => number;
  /** Given the switch, the folder and the log as it grows. */
  /** Called with the byte range of each of the service's lines in the log. */
  marked?: (from: number, to: number) => void;
  meanwhile?: (build: { halt: Halt; log: () => string; folder: string }) => void;
}

export interface Ran {
  spec: BuildSpec;
  result: BuildResult;
  log: string;
  folder: string;
  mark: string;
}

/** A Mac of the local driver, on which builds run inside this process. */
export async function openRig(t: Test, options: { dataDir?: string; driver?: LocalDriver } = {}): Promise<Rig> {
  const dataDir = options.dataDir ?? tempFolder(t);
  const driver = options.driver ?? createLocalDriver({ dataDir });
  await createMacChanges(driver).bring(desiredMac({ slot_id: SLOT }), () => {});
  const { endMarkWaitS } = defaultBuildLimits;
  const macFor = (ref: AttemptRef) =>
    createLocalMac({
      driver,
      slotId: SLOT,
      ref,
      endMarkWaitS,
      inputQuietMs: INPUT_QUIET_MS,
      clock: systemClock,
    });
  return { dataDir, driver, ...openRuns(dataDir, { macFor, runs: driver.runs(SLOT) }) };
}

/** Builds that run inside this process, in any Mac. */
export function openRuns(
  dataDir: string,
  { macFor, runs }: { macFor: (ref: AttemptRef) => BuildMac; runs: string },
): Pick<Rig, 'run'> {
  return {
    async run(script, more = {}) {
      const spec = newSpec(script, more.spec);
      const files = attemptFiles(path.join(dataDir, 'builds', attemptName(spec)));
      mkdirSync(files.folder, { recursive: true });
      const limits = { ...defaultBuildLimits, ...more.limits };
      const halt = createHalt();
      const secrets = more.secrets ?? [];
      const log = () => readFileSync(files.spool, 'utf8');
      let seen = -1;
      const spool = openSpool(files.spool, more.writeTo);
      const result = await runBuild({
        spec,
        secrets,
        files,
        mac: macFor(spec),
        async checkOutSources(request) {
          const checkout = await more.checkOutSources?.(request);
          more.whenLaid?.(halt);
          return checkout ?? { commit: null };
        },
        mask: maskFor({ secrets, limits: {} }),
        spool,
        guard: { check: () => undefined, close: async () => spool.close() },
        halt,
        limits,
        clock: more.clock ?? systemClock,
        on: {
          step: ({ step }) => step === 'artifacts' && more.whileCollecting?.(halt),
          checkedOut: () => undefined,
          output: () => undefined,
          marked: (from, to) => more.marked?.(from, to),
          spooled() {
            const text = more.meanwhile ? log() : '';
            if (text.length !== seen) more.meanwhile?.({ halt, log, folder: files.folder });
            seen = text.length;
          },
        },
      });
      const mark = processMark(buildFiles(runs, spec));
      return { spec, result, log: log(), folder: files.folder, mark };
    },
  };
}
