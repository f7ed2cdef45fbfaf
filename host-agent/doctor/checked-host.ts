// The host that checks look at: this machine, as the agent of a data folder sees it.

import os from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { packageVersion } from '../../shared/package-version.js';
import type { AgentConfig } from '../daemon/agent-config.js';
import { buildLimitsOf } from '../daemon/config.js';
import type { MacDriver } from '../driver/driver.js';
import { isVmSpec } from '../driver/driver.js';
import { openTool } from '../driver/open.js';
import { hasLaunchd, type RunTool, runTool, toolsBelow, toolsRoot } from '../installation/system-tools.js';
import { defaultBuildLimits } from '../limits.js';
import type { Network } from '../system/network.js';
import { askService } from './ask-service.js';
import type { CheckedHost } from './check.js';
import { connectTo } from './connect.js';

/** A tool of macOS that hangs is ended after this time. */
const TOOL_MS = 10_000;

/** @returns a host for one round of checks: what two checks ask is asked once */
export function openCheckedHost(options: {
  config: AgentConfig;
  dataDir: string;
  enrolled: boolean;
  driver: Pick<MacDriver, 'kind' | 'spec' | 'inventory'>;
  network: Network;
  isDaemon: boolean;
  /** Ends tools and requests that are in progress. */
  signal?: AbortSignal;
}): CheckedHost {
  const { config, dataDir, enrolled, driver, network, isDaemon, signal } = options;
  const clock = systemClock;
  const { spec } = driver;
  const run: RunTool = (file, args) => runTool(file, args, { timeoutMs: TOOL_MS, signal });
  return {
    config,
    dataDir,
    enrolled,
    driver,
    network,
    isDaemon,
    clock,
    openFiles,
    isMac: hasLaunchd(),
    user: ownUser(),
    tool: isVmSpec(spec) ? openTool(spec) : null,
    reserveBytes: { ...defaultBuildLimits, ...buildLimitsOf(config) }.diskReserveBytes,
    run: sharedRun(run),
    file: (path) => join(toolsRoot() || '/', path),
    connect: (address, port) => connectTo(address, port, clock),
    ask: shared(
      (path) => askService({ siteUrl: config.control_plane, network, clock, signal }, path),
      (path) => path,
    ),
    version: packageVersion(),
  };
}

function ownUser(): CheckedHost['user'] {
  const uid = process.getuid?.() ?? 0;
  try {
    const { username, homedir } = os.userInfo();
    return { uid, name: username, home: homedir };
  } catch {
    // A uid without an account, as in containers.
    return { uid, name: String(uid), home: os.homedir() };
  }
}

/** Returns the same function; calls with the same arguments share the first one's result. */
export const sharedRun = (run: RunTool): RunTool => shared(run, (file, args) => [file, ...args].join('\0'));

/** Returns the same function; calls with the same key share the first one's result. */
function shared<A extends unknown[], R>(call: (...args: A) => R, keyOf: (...args: A) => string) {
  const results = new Map<string, R>();
  return (...args: A): R => {
    const key = keyOf(...args);
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = call(...args);
    results.set(key, result);
    return result;
  };
}

/** Returns how many files this process and its children may open; null: any number, or unknown. */
async function openFiles(): Promise<number | null> {
  // Of this machine, also where the tools of macOS are stand-ins.
  const { stdout } = await toolsBelow('')('/bin/sh', ['-c', 'ulimit -n'], { timeoutMs: TOOL_MS });
  return /^\d{1,15}$/.test(stdout.trim()) ? Number(stdout) : null;
}
