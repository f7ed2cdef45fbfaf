// Upgrades of this agent: installs the package that the control plane wants, and lets the next start try it. Builds go on
// meanwhile, because their processes outlive the daemon.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { Message } from '../../shared/messages/message.js';
import { saidBy } from '../../shared/messages/said.js';
import { upgradeError } from '../../shared/messages/upgrade-errors.js';
import { pause } from '../../shared/pause.js';
import type { AgentMessage, BuildFact, DesiredAgent, HostUpgrade, MacFact } from '../../shared/protocol/index.js';
import { InstallError } from '../installation/install-error.js';
import type { InstalledVersion } from '../installation/paths.js';
import { keepVersion, settleTrial, switchTo } from '../installation/rollback.js';
import { signedChecksum } from '../installation/signed-sums.js';
import {
  outcomeFields,
  readOutcome,
  type TrialState,
  type UpgradeOutcome,
  writeOutcome,
} from '../installation/trial.js';
import { lockUpgrades } from '../installation/upgrade-lock.js';
import {
  checkRoom,
  DOWNLOAD,
  installVersion,
  pruneVersions,
  removeUnfinished,
  whyNotWritable,
} from '../installation/versions.js';
import type { DaemonLimits } from '../limits.js';
import { AnswerError, type LinkAddress } from '../system/request.js';
import { downloadPackage, downloadSums } from './link/download-package.js';

export interface Upgrades {
  facts(): HostUpgrade;
  /** The version that the control plane wants; null: none, and an upgrade that is not installed yet is given up. */
  desire(wanted: DesiredAgent | null): void;
  /** The builds are adopted. */
  started(): void;
  /** The control plane has accepted this agent. */
  welcomed(): void;
  close(): Promise<void>;
}

/** The daemon, as far as upgrades need it. */
export interface UpgradedHost {
  readonly macs: { facts(): Promise<readonly MacFact[]> };
  readonly builds: { facts(): readonly BuildFact[] };
  readonly limits: () => DaemonLimits;
  readonly send: (message: AgentMessage) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface UpgradesDeps extends UpgradedHost {
  /** Where this agent is installed; null: it does not run from a package. */
  readonly installation: InstalledVersion | null;
  readonly address: () => LinkAddress;
  /** Packages must be signed with one of them; empty: signatures are not checked. */
  readonly keys: readonly string[];
  /** Another version is the current one; this process has to end, so that it is started. */
  readonly replaced: () => void;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const MACS_POLL_MS = 1_000;
/** Times the archive's size that an installation needs. */
const UNPACKED = 4;

export function createUpgrades(deps: UpgradesDeps): Upgrades {
  const { installation } = deps;
  if (installation === null) return noUpgrades(upgradeError('not_a_package'));
  return installedUpgrades({ ...deps, installation });
}

/** Refuses every upgrade. */
function noUpgrades(error: Message): Upgrades {
  const nothing = { attempt: null, version: null, state: 'idle' } as const;
  return {
    facts: () => ({ able: false, platform: PLATFORM, ...nothing, ...outcomeFields(error) }),
    desire() {},
    started() {},
    welcomed() {},
    async close() {},
  };
}

type Installed = UpgradesDeps & { readonly installation: InstalledVersion };

interface Work {
  readonly attempt: string;
  readonly version: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

function installedUpgrades(deps: Installed): Upgrades {
  const { installation, log } = deps;
  let trial: TrialState | null = null;
  let last: UpgradeOutcome | null = null;
  let state: HostUpgrade['state'] = 'idle';
  let wanted: DesiredAgent | null = null;
  let work: Work | null = null;
  let closed = false;
  try {
    trial = settleTrial(installation, installation.version);
    last = readOutcome(installation);
    if (trial === null) removeUnfinished(installation);
  } catch (error) {
    // E.g. a full disk: the agent works, and tries again when it starts next.
    log.error({ err: error }, 'cannot end the trial of another version');
  }
  if (last?.state === 'rolled_back') log.error({ version: last.version }, last.error ?? 'rolled back');

  const report = (next: HostUpgrade['state']) => {
    state = next;
    deps.send({ type: 'facts', builds: [], macs: [], upgrade: facts() });
  };
  const ended = (outcome: UpgradeOutcome) => {
    last = outcome;
    try {
      writeOutcome(installation, outcome);
    } catch (error) {
      log.error({ err: error }, 'cannot record the outcome of the upgrade');
    }
    report('idle');
  };
  const keep = () => {
    if (trial === null) return;
    const { to: version, from, attempt } = trial;
    keepVersion(installation, trial);
    trial = null;
    last = { attempt, version, state: 'idle', ...outcomeFields(null) };
    log.info({ version, from }, 'the new version works');
    // A build may be running from any of them.
    if (deps.builds.facts().length === 0) pruneVersions(installation, [version, from]);
    report('idle');
    begin();
  };
  const begin = () => {
    if (closed || wanted === null || trial !== null || work !== null || last?.attempt === wanted.attempt) return;
    const { attempt, version } = wanted;
    if (version === installation.version) {
      return ended({ attempt, version, state: 'idle', ...outcomeFields(null) });
    }
    const abort = new AbortController();
    const target = wanted;
    const finished = Promise.resolve()
      .then(() => upgrade(deps, target, report, abort.signal))
      .then(deps.replaced)
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        log.error({ err: error, version }, 'the upgrade failed');
        ended({ attempt, version, state: 'failed', ...outcomeFields(saidBy(error)) });
      })
      .finally(() => {
        if (state === 'restarting' || closed) return;
        work = null;
        if (state !== 'idle') report('idle');
        begin();
      });
    work = { attempt, version, abort, ended: finished };
  };
  const facts = (): HostUpgrade => {
    const denied = whyNotWritable(installation);
    const common = { able: denied === null, platform: PLATFORM, ...outcomeFields(null) };
    if (trial) return { ...common, attempt: trial.attempt, version: trial.to, state: 'trying' };
    if (work && state !== 'idle') return { ...common, attempt: work.attempt, version: work.version, state };
    const deniedFields = outcomeFields(denied);
    if (last) return { ...common, ...last, ...(last.error === null ? deniedFields : {}) };
    return { ...common, ...deniedFields, attempt: null, version: null, state: 'idle' };
  };
  return {
    facts,
    desire(next) {
      wanted = next;
      if (work && work.attempt !== next?.attempt && state !== 'restarting') {
        log.info({ attempt: work.attempt }, 'the upgrade is no longer wanted');
        work.abort.abort(new Error('no longer wanted'));
      }
      begin();
    },
    started() {
      if (trial?.needs === 'start') keep();
    },
    welcomed: keep,
    async close() {
      closed = true;
      work?.abort.abort(new Error('the agent is stopping'));
      await work?.ended;
    },
  };
}

/** Whether the Mac would have to be recreated if the daemon ended now. */
const isChanging = ({ state, progress }: MacFact) => state === 'preparing' || progress !== null;

/** Installs the version and makes it the current one, on trial. */
async function upgrade(
  { installation, address, keys, limits, macs, clock, log }: Installed,
  wanted: DesiredAgent,
  report: (state: HostUpgrade['state']) => void,
  signal: AbortSignal,
): Promise<void> {
  const denied = whyNotWritable(installation);
  if (denied !== null) throw new InstallError(denied);
  const { attempt, version: to } = wanted;
  const unlock = lockUpgrades(installation);
  try {
    log.info({ version: to, package: wanted.name }, 'upgrading');
    report('downloading');
    const download = `${DOWNLOAD}${wanted.sha256}`;
    removeUnfinished(installation, [download]);
    await checkRoom(installation, wanted.bytes * (1 + UNPACKED));
    const archive = join(installation.versions, download);
    const { sha256 } = wanted;
    await fetchWithin(limits().upgradeDownloadMs, clock, signal, async (bounded) => {
      const download = { address, wanted, file: archive, clock, signal: bounded, log };
      if (keys.length > 0) {
        const signed = signedChecksum(await downloadSums(download).catch(unsigned), wanted.name, keys);
        if (signed.sha256 !== sha256) {
          throw new InstallError(
            upgradeError('wrong_signed_sha256', { file: wanted.name, actual: signed.sha256, wanted: sha256 }),
          );
        }
      }
      await downloadPackage(download);
    });
    report('installing');
    const checkMs = limits().upgradeCheckMs;
    try {
      await installVersion(installation, { archive, version: to, sha256, checkMs, signal });
    } finally {
      if (!signal.aborted) rmSync(archive, { force: true });
    }
    const until = clock.monotonic() + limits().upgradeMacsMs;
    while (clock.monotonic() < until && (await macs.facts()).some(isChanging)) await pause(clock, MACS_POLL_MS, signal);
    signal.throwIfAborted();
    const seconds = Math.ceil(limits().upgradeTrialMs / 1000);
    const trial = { to, from: installation.version, attempt, needs: 'welcome', seconds } as const;
    switchTo(installation, { ...trial, most: limits().upgradeStarts });
    log.info({ version: to }, 'restarting as the new version');
    report('restarting');
  } finally {
    unlock();
  }
}

function unsigned(error: unknown): never {
  if (!(error instanceof AnswerError) || error.status !== 404) throw error;
  throw new InstallError(upgradeError('not_signed'), 78, { cause: error });
}

async function fetchWithin(
  ms: number,
  clock: Clock,
  signal: AbortSignal,
  fetchIt: (bounded: AbortSignal) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => {
    late.abort(new InstallError(upgradeError('not_downloaded', { minutes: Math.round(ms / 60_000) })));
  }, ms);
  try {
    await fetchIt(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (late.signal.aborted && !signal.aborted) throw late.signal.reason;
    throw error;
  } finally {
    timer.cancel();
  }
}
