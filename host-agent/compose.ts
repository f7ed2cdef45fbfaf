// The host agent as a library: data folder, configuration and its changes, credential, daemon.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { systemClock } from '../shared/clock.js';
import { createLog, type Log } from '../shared/log.js';
import { packageVersion } from '../shared/package-version.js';
import { checkFolderOwner, makePrivate } from '../shared/private-folder.js';
import type { AgentConfig, AgentConfigInput } from './daemon/agent-config.js';
import {
  ConfigError,
  changeConfig,
  configPath,
  daemonLimitsOf,
  isolationRefusal,
  needsRestart,
  RESTART_FIELDS,
  readConfig,
} from './daemon/config.js';
import { credentialPath, readCredential } from './daemon/credential.js';
import type { Daemon } from './daemon/daemon.js';
import { requireCredential } from './daemon/enrolment.js';
import { keepFiles } from './daemon/kept-files.js';
import type { LinkState } from './daemon/link/client.js';
import { openDaemon } from './open-daemon.js';
import { lockPath, takeLock } from './system/lock.js';
import { openLogFile } from './system/log-file.js';
import { subreaperWarning } from './system/subreaper.js';

export interface HostAgentOptions {
  /** The data folder of this host; locked while an agent uses it. */
  dataDir: string;
  /** Default: DATA/agent.json. Watched; changes are applied at once where possible. */
  configFile?: string;
  /** Overrides fields of the file. */
  overrides?: Partial<AgentConfigInput>;
  /**
   * Called when an upgrade has made another version the current one: this process should stop the agent and end, and be
   * started again. Without it, or if the agent does not run from an installed package, the agent is not upgraded.
   */
  onReplaced?: () => void;
  /** Default: JSON lines on standard error, or the configured log file. */
  log?: Log;
}

export interface HostAgent {
  /**
   * Adopts the builds of an earlier agent, then connects. Does not wait for the connection.
   *
   * @throws LockedError, NotEnrolledError, ConfigError, ForeignFolderError
   */
  start(): Promise<void>;
  /** Disconnects. Builds go on running, and the next agent adopts them. */
  stop(): Promise<void>;
  status(): { hostId: string | null; link: LinkState };
}

/**
 * Creates the host agent as a library.
 *
 * @example
 * await enrolHost({ dataDir, token, config: { control_plane: 'https://macs.example', allow_unisolated: true } });
 * const agent = createHostAgent({ dataDir });
 * await agent.start();
 * process.on('SIGTERM', () => agent.stop());
 */
export function createHostAgent(options: HostAgentOptions): HostAgent {
  const dataDir = resolve(options.dataDir);
  let running: RunningAgent | null = null;

  return {
    async start() {
      if (running) return;
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      checkFolderOwner(dataDir);
      const lock = takeLock(dataDir);
      try {
        running = await runAgent(dataDir, options, lock.release);
      } catch (error) {
        lock.release();
        throw error;
      }
    },
    async stop() {
      const stopping = running;
      running = null;
      await stopping?.stop();
    },
    status: () => ({
      hostId: readCredential(dataDir)?.host_id ?? null,
      link: running?.daemon.linkState() ?? 'stopped',
    }),
  };
}

interface RunningAgent {
  readonly daemon: Daemon;
  stop(): Promise<void>;
}

/** Opens and starts the daemon with the configuration and credential of the data folder. */
async function runAgent(dataDir: string, options: HostAgentOptions, unlock: () => void): Promise<RunningAgent> {
  const configFile = resolve(options.configFile ?? configPath(dataDir));
  const current = {
    config: readConfig(configFile, options.overrides),
    credential: requireCredential(dataDir),
  };
  const refusal = isolationRefusal(current.config);
  if (refusal !== null) throw new ConfigError(refusal);
  const log = options.log ?? openLog(current.config);
  // Not the files below it: builds set their modes, and other users cannot enter the folder itself.
  const repaired = makePrivate(dataDir);
  if (repaired.length > 0) {
    log.warn({ path: dataDir, repaired }, 'other users could read the data folder; their permissions were removed');
  }
  const overridden = options.overrides?.control_plane !== undefined;
  const setAddress = (siteUrl: string) => {
    if (overridden) throw new Error('the address of the service is set by --url or CIDERMILL_SITE_URL');
    changeConfig(configFile, { control_plane: siteUrl });
    current.config = { ...current.config, control_plane: siteUrl };
    keptFiles.refresh();
  };
  const daemon = openDaemon(dataDir, current, { onReplaced: options.onReplaced ?? null, setAddress, log });

  const reloadConfig = () => {
    let fresh: AgentConfig;
    try {
      fresh = readConfig(configFile, options.overrides);
    } catch (error) {
      log.error({ err: error }, 'invalid configuration; the previous one stays in effect');
      return;
    }
    const fields = needsRestart(current.config, fresh);
    if (fields.length > 0) log.warn({ fields }, 'these changes take effect after a restart of the agent');
    const kept = Object.fromEntries(RESTART_FIELDS.map((field) => [field, current.config[field]]));
    current.config = { ...fresh, ...kept };
    keptFiles.refresh();
    daemon.reconfigure(current.config);
    const { drain, log_level } = current.config;
    log.info({ drain, log_level }, 'configuration applied');
  };
  const reloadCredential = () => {
    const fresh = readCredential(dataDir);
    if (!fresh || fresh.credential === current.credential.credential) return;
    current.credential = fresh;
    keptFiles.refresh();
    log.info({ host_id: fresh.host_id }, 'this host has been enrolled again');
    daemon.reconnect();
  };
  const files = { [configFile]: reloadConfig, [credentialPath(dataDir)]: reloadCredential };
  const watcher = watchFiles(files, log);
  const keptFiles = keepFiles({
    files: [...Object.keys(files), lockPath(dataDir)],
    onRestored() {
      // A watch ends when the folder of its file is deleted.
      watcher.unwatch(Object.keys(files));
      watcher.add(Object.keys(files));
      daemon.dataLost();
    },
    everyMs: () => daemonLimitsOf(current.config).dataCheckMs,
    clock: systemClock,
    log,
  });

  const { host_id } = current.credential;
  log.info({ data: dataDir, host_id, version: packageVersion() }, 'host agent starts');
  const warning = subreaperWarning();
  if (warning !== null) log.warn(warning);
  const stopWatching = () => {
    keptFiles.stop();
    return watcher.close();
  };
  await daemon.start().catch(async (error: unknown) => {
    await stopWatching();
    throw error;
  });
  const stop = async () => {
    await stopWatching();
    await daemon.stop();
    log.info('host agent has stopped; its builds go on');
    unlock();
  };
  return { daemon, stop };
}

function openLog(config: AgentConfig): Log {
  const { log_file: file, log_level: level } = config;
  const { logFileBytes: largestBytes, logFilesKept: kept } = daemonLimitsOf(config);
  return createLog('host-agent', level, file === null ? undefined : openLogFile(file, { largestBytes, kept }));
}

/** Editors write a file in several steps; it is read once it has not changed for this long. */
const STABLE_MS = 100;

/** Calls the handler of a file, by its absolute path, when the file changes. */
function watchFiles(handlers: Readonly<Record<string, () => void>>, log: Log): FSWatcher {
  const watcher = watch(Object.keys(handlers), {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: STABLE_MS, pollInterval: STABLE_MS / 4 },
  });
  watcher.on('all', (_event, path) => {
    try {
      handlers[resolve(path)]?.();
    } catch (error) {
      log.error({ err: error, path }, 'cannot apply a changed file');
    }
  });
  watcher.on('error', (error) => log.error({ err: error }, 'cannot watch the configuration'));
  return watcher;
}
