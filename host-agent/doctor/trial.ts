// `cidermill host-agent doctor --try`: creates a Mac, builds in it, resets it, switches its Xcode and removes it, without a
// control plane. Each step names what it expects.

import type { Clock } from '../../shared/clock.js';
import { isVirtual } from '../../shared/drivers.js';
import type { Log } from '../../shared/log.js';
import type { DesiredMac } from '../../shared/protocol/index.js';
import { createMacChanges } from '../daemon/macs/change.js';
import type { MacDriver } from '../driver/driver.js';
import { listXcodes } from '../guest/software/xcodes.js';
import { openTrialBuilds, type TrialBuilds, type TrialRun } from './trial-build.js';

export const TRIAL_SLOT = 'trial';

export interface TrialStep {
  readonly name: string;
  /** skipped: this machine lacks what the step needs, such as an Xcode. not_run: an earlier step failed. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'not_run';
  readonly seconds: number;
  /** What was seen, or the error. */
  readonly detail: string;
}

/** What the Mac is created from, and its size; null: as the driver chooses. */
export type TrialMac = Pick<DesiredMac, 'image'> & Partial<DesiredMac>;

/** Thrown to mark a step as skipped. */
class Skipped extends Error {}

interface Trial {
  readonly driver: MacDriver;
  readonly builds: TrialBuilds;
  /** Brings the Mac to the next revision with these changes. */
  bring(change: Partial<DesiredMac>): Promise<void>;
}

type Step = readonly [name: string, run: (trial: Trial) => Promise<string>];

const SECRET = 'trial-secret-5f3b1c';
const FILES = { 'kept.txt': 'kept\n', 'edited.txt': 'one\n', 'bin/tool.sh': '#!/bin/sh\necho tool\n' };
const LIST_MS = 60_000;
/** A folder that a reset with keep_cache keeps. */
const CACHE = 'Library/Caches/org.swift.swiftpm';

function expect(run: TrialRun, exitCode: number, ...texts: string[]): void {
  const { exit_code, summary } = run.result;
  if (exit_code !== exitCode) {
    throw new Error(
      `exit code ${exit_code}, expected ${exitCode}; ${summary ?? ''} Its log ends: ${run.log.slice(-400)}`,
    );
  }
  for (const text of texts) {
    if (!run.log.includes(text)) throw new Error(`the log lacks ${JSON.stringify(text)}: ${run.log.slice(-400)}`);
  }
}

const STEPS: readonly Step[] = [
  [
    'create a Mac',
    async ({ bring }) => {
      await bring({});
      return 'ready for builds';
    },
  ],
  [
    'first build: sources, exit code, masked secret, artifact',
    async ({ builds }) => {
      const script = `set -u
touch -t 202001010000 kept.txt
uname -sm; sw_vers 2>/dev/null || true
cat edited.txt; bin/tool.sh; echo "secret is $TRIAL_SECRET"
mkdir -p "$HOME/${CACHE}"; echo cached > "$HOME/${CACHE}/trial"; echo left > "$HOME/.trial-left"
echo made > made-by-build.txt; mkdir -p "$CIDERMILL_ARTIFACTS/out"; cp edited.txt "$CIDERMILL_ARTIFACTS/out/"`;
      const run = await builds.run({
        script,
        files: FILES,
        secrets: [{ name: 'TRIAL_SECRET', value: SECRET }],
      });
      expect(run, 0, 'one', 'tool', 'secret is ***');
      if (run.log.includes(SECRET)) throw new Error('the secret is in the log');
      if (run.artifacts['out/edited.txt'] !== 'one\n') throw new Error('the artifact is missing or differs');
      return run.log.split('\n').find((line) => /^(Darwin|Linux) /.test(line)) ?? 'done';
    },
  ],
  [
    'second build: only changes are sent, files of the build stay',
    async ({ builds }) => {
      const script = 'cat edited.txt made-by-build.txt; ls -l made-by-build.txt kept.txt; exit 3';
      expect(await builds.run({ script, files: { ...FILES, 'edited.txt': 'two\n' } }), 3, 'two', 'made');
      return 'exit code 3 as written';
    },
  ],
  [
    'stop a build',
    async ({ builds }) => {
      const script = `trap '' TERM; (trap '' TERM; sleep 600) & echo waiting; sleep 600`;
      const { result } = await builds.run({ script, files: FILES, stopAt: 'waiting' });
      if (result.outcome !== 'stopped') throw new Error(`outcome ${result.outcome}`);
      if (result.warnings.length > 0) throw new Error(result.warnings.join(' '));
      return 'all its processes ended';
    },
  ],
  [
    'select an Xcode, and build with it',
    async ({ driver, builds, bring }) => {
      const versions = await xcodesOf(driver);
      const last = versions.at(-1);
      if (last === undefined) throw new Skipped('there is no Xcode');
      for (const version of new Set([versions[0] ?? last, last])) {
        await bring({ xcode: version });
        expect(await builds.run({ script: 'xcodebuild -version', files: FILES }), 0, `Xcode ${version}`);
      }
      expect(await builds.run({ script: 'xcodebuild -version', files: FILES, xcode: last }), 0, `Xcode ${last}`);
      return versions.join(', ');
    },
  ],
  [
    'reset that keeps caches',
    async ({ driver, builds, bring }) => {
      await bring({ empty_work: true });
      const gone = !isVirtual(driver.kind) ? '' : 'test ! -e "$HOME/.trial-left"; ';
      const script = `${gone}test ! -e made-by-build.txt; cat "$HOME/${CACHE}/trial"`;
      expect(await builds.run({ script, files: FILES }), 0, 'cached');
      return 'work folder empty, caches kept';
    },
  ],
  [
    'reset to a new Mac',
    async ({ builds, bring }) => {
      await bring({ generation: 2, empty_work: false });
      const script = `test ! -e "$HOME/${CACHE}/trial"; test ! -e "$HOME/.trial-left"; test ! -e made-by-build.txt`;
      expect(await builds.run({ script, files: FILES }), 0);
      return 'nothing of the old one is left';
    },
  ],
  [
    'remove the Mac',
    async ({ driver }) => {
      await driver.remove(TRIAL_SLOT);
      const left = (await driver.listMacs()).filter(({ slot_id }) => slot_id === TRIAL_SLOT);
      if (left.length > 0) throw new Error('the Mac is still there');
      return 'nothing is left on the host';
    },
  ],
];

/** Returns the versions that can be selected, oldest first. */
async function xcodesOf(driver: MacDriver): Promise<string[]> {
  const guest = await driver.guest(TRIAL_SLOT);
  const xcodes = guest ? await listXcodes(guest.transport, { timeoutMs: LIST_MS }) : (await driver.inventory()).xcodes;
  return xcodes.map(({ version }) => version);
}

/**
 * Runs all steps; after a failure only the removal. Never throws for a failed step.
 *
 * @param options.dataDir a folder of its own, not that of an agent
 * @param options.report called after each step
 * @example (await runTrial({ driver, dataDir, mac: { image: null }, clock, log, report: () => {} })).every(ok)
 */
export async function runTrial(options: {
  driver: MacDriver;
  dataDir: string;
  mac: TrialMac;
  clock: Clock;
  log: Log;
  report: (step: TrialStep) => void;
  progress?: (text: string) => void;
}): Promise<TrialStep[]> {
  const { driver, dataDir, mac, clock, log, report } = options;
  const changes = createMacChanges(driver);
  const builds = await openTrialBuilds({ dataDir, driver, slotId: TRIAL_SLOT, log });
  let want: DesiredMac = { ...firstDesire(), ...mac };
  const trial: Trial = {
    driver,
    builds,
    async bring(change) {
      want = { ...want, empty_work: false, ...change, revision: want.revision + 1 };
      await changes.bring(want, ({ step, percent }) => options.progress?.(`${step} ${percent} %`));
    },
  };
  const steps: TrialStep[] = [];
  let failed = false;
  const remove = STEPS.length - 1;
  for (const [index, [name, run]] of STEPS.entries()) {
    const step: TrialStep = failed && index !== remove ? notRun(name) : await tryStep(name, () => run(trial), clock);
    failed ||= step.status === 'failed';
    steps.push(step);
    report(step);
  }
  await builds.close();
  return steps;
}

const notRun = (name: string): TrialStep => ({ name, status: 'not_run', seconds: 0, detail: '' });

async function tryStep(name: string, run: () => Promise<string>, clock: Clock): Promise<TrialStep> {
  const began = clock.monotonic();
  const ended = (status: TrialStep['status'], detail: string): TrialStep => {
    return { name, status, seconds: Math.round((clock.monotonic() - began) / 100) / 10, detail };
  };
  try {
    return ended('passed', await run());
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return ended(error instanceof Skipped ? 'skipped' : 'failed', message);
  }
}

function firstDesire(): DesiredMac {
  return {
    slot_id: TRIAL_SLOT,
    rental_id: 'trial',
    account_id: 0,
    generation: 1,
    revision: 0,
    image: null,
    image_digest: null,
    cpu_cores: null,
    memory_gb: null,
    disk_gb: null,
    empty_work: false,
    repair: false,
    xcode: null,
    runtimes: [],
    tools: [],
  };
}
