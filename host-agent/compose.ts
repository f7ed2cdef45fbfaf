// The host agent put together: data folder, configuration, driver, builds, daemon.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { watch } from 'chokidar';
import { systemClock } from '../shared/clock.js';
import { createLog, type Log } from '../shared/log.js';
import { packageVersion } from '../shared/package-version.js';
import {
  type AgentConfig,
  type AgentConfigInput,
  buildLimitsOf,
  ConfigError,
  configPath,
  isolationRefusal,
  needsRestart,
  networkOf,
  openConfiguredNetwork,
  RESTART_FIELDS,
  readConfig,
} from './daemon/config.js';
import { credentialPath, readCredential } from './daemon/credential.js';
import { createDaemon, type Daemon } from './daemon/daemon.js';
import { requireCredential } from './daemon/enrolment.js';
import type { LinkState } from './daemon/link/client.js';
import { createBuildSupervisor } from './daemon/supervisor.js';
import { openDriver } from './driver/open.js';
import { takeLock } from './system/lock.js';
import { openLogFile } from './system/log-file.js';
import { subreaperWarning } from './system/subreaper.js';

export interface HostAgentOptions {
  /** Where the host keeps everything; one agent at a time uses it. */
  dataDir: string;
  /** Default: DATA/agent.json. Watched, and applied live where that is safe. */
  configFile?: string;
  /** Wins over what the file says. */
  overrides?: Partial<AgentConfigInput>;
  /** Default: JSON lines on standard error, or the configured log file. */
  log?: Log;
}

export interface HostAgent {
  /**
   * Takes over the builds that an earlier agent left, then connects; does not wait for the connection.
   *
   * @throws LockedError, NotEnrolledError, ConfigError
   */
  start(): Promise<void>;
  /** Disconnects. Builds go on, and the next agent takes them over. */
  stop(): Promise<void>;
  status(): { hostId: string | null; link: LinkState };
}

/** Editors write a file in several steps; what they leave is read when they have been still this long. */
const SETTLE_MS = 100;

/**
 * The host agent as a library.
 *
 * @example
 * await enrolHost({ dataDir, token, config: { control_plane: 'https://macs.example', allow_unisolated: true } });
 * const agent = createHostAgent({ dataDir });
 * await agent.start();
 * process.on('SIGTERM', () => agent.stop());
 */
export function createHostAgent(options: HostAgentOptions): HostAgent {
  const dataDir = resolve(options.dataDir);
  const configFile = resolve(options.configFile ?? configPath(dataDir));
  let running: { daemon: Daemon; release: () => Promise<void> } | null = null;

  const start = async () => {
    if (running) return;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = takeLock(dataDir);
    try {
      running = await open(lock.release);
    } catch (error) {
      lock.release();
      throw error;
    }
  };

  const open = async (unlock: () => void) => {
    let config = readConfig(configFile, options.overrides);
    let credential = requireCredential(dataDir);
    const refusal = isolationRefusal(config);
    if (refusal !== null) throw new ConfigError(refusal);
    const log = options.log ?? openLog(config);
    const settings = networkOf(config, process.env);
    const network = openConfiguredNetwork(settings);
    const address = () => ({ siteUrl: config.control_plane, credential: credential.credential, network });
    const driver = openDriver({
      kind: config.driver,
      data_dir: dataDir,
      applications_dir: config.applications_dir,
    });
    const daemon = createDaemon({
      dataDir,
      config,
      address,
      driver,
      openBuilds: (events) =>
        createBuildSupervisor({
          dataDir,
          driver,
          log,
          clock: systemClock,
          link: address,
          network: settings,
          events,
          limits: () => buildLimitsOf(config),
        }),
      agentVersion: packageVersion(),
      clock: systemClock,
      log,
    });

    const reloadConfig = () => {
      let fresh: AgentConfig;
      try {
        fresh = readConfig(configFile, options.overrides);
      } catch (error) {
        log.error({ err: error }, 'the new configuration cannot be used; the old one stays');
        return;
      }
      const waiting = needsRestart(config, fresh);
      if (waiting.length > 0) log.warn({ fields: waiting }, 'these changes need a restart of the agent');
      const kept = Object.fromEntries(RESTART_FIELDS.map((field) => [field, config[field]]));
      config = { ...fresh, ...kept };
      daemon.reconfigure(config);
      log.info({ drain: config.drain, log_level: config.log_level }, 'configuration applied');
    };
    const reloadCredential = () => {
      const fresh = readCredential(dataDir);
      if (!fresh || fresh.credential === credential.credential) return;
      credential = fresh;
      log.info({ host_id: fresh.host_id }, 'this host has been enrolled anew');
      daemon.reconnect();
    };
    const watching = watch([configFile, credentialPath(dataDir)], {
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: SETTLE_MS, pollInterval: SETTLE_MS / 4 },
    });
    watching.on('all', (_event, path) => {
      try {
        if (resolve(path) === configFile) reloadConfig();
        else reloadCredential();
      } catch (error) {
        log.error({ err: error, path }, 'a changed file could not be taken over');
      }
    });
    watching.on('error', (error) => log.error({ err: error }, 'cannot watch the configuration'));

    log.info({ data: dataDir, host_id: credential.host_id, version: packageVersion() }, 'host agent starts');
    const warning = subreaperWarning();
    if (warning !== null) log.warn(warning);
    await daemon.start();
    const release = async () => {
      await watching.close();
      await daemon.stop();
      log.info('host agent has stopped; its builds go on');
      unlock();
    };
    return { daemon, release };
  };

  return {
    start,
    async stop() {
      const stopping = running;
      running = null;
      await stopping?.release();
    },
    status: () => ({
      hostId: readCredential(dataDir)?.host_id ?? null,
      link: running?.daemon.linkState() ?? 'stopped',
    }),
  };
}

function openLog(config: AgentConfig): Log {
  const { log_file: file, log_level: level } = config;
  return createLog('host-agent', level, file === null ? undefined : openLogFile(file));
}
