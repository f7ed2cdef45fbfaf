// What the daemon reports of the machine itself: its inventory, whether it accepts builds, its health.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { AgentMessage, HealthFinding } from '../../shared/protocol/index.js';
import { type DaemonLimits, defaultBuildLimits } from '../limits.js';
import type { AgentConfig } from './agent-config.js';
import { buildLimitsOf } from './config.js';
import { createDiskRoom } from './disk-room.js';
import { watchHealth } from './health-watch.js';
import { watchInventory } from './inventory.js';
import type { Hello } from './link/connection.js';
import type { MacReconciler, ReconcilerDriver } from './macs/mac-reconciler.js';

export type HostReports = ReturnType<typeof createHostReports>;

export function createHostReports(deps: {
  dataDir: string;
  driver: ReconcilerDriver;
  macs: Pick<MacReconciler, 'whileIdle'>;
  config: () => AgentConfig;
  /** Runs the doctor's checks. */
  lookAtHealth: (signal: AbortSignal) => Promise<HealthFinding[]>;
  send: (message: AgentMessage) => boolean;
  limits: () => DaemonLimits;
  clock: Clock;
  log: Log;
}) {
  const { driver, config, send, limits, clock, log } = deps;
  const reserveBytes = () => ({ ...defaultBuildLimits, ...buildLimitsOf(config()) }).diskReserveBytes;

  /** What the service knows, as JSON: by the last hello, or by a message that was sent. */
  let reported = '';

  const current = async () => {
    const checked = health.current();
    return {
      inventory: await inventory.current(),
      draining: config().drain,
      ...(checked === null ? {} : { health: checked }),
    };
  };
  const report = async () => {
    const state = await current();
    const text = JSON.stringify(state);
    if (text !== reported && send({ type: 'inventory', ...state, sent_at: clock.now() })) reported = text;
  };
  const sendAll = () =>
    void report().catch((error: unknown) => log.error({ err: error }, 'cannot report the state of this host'));
  const inventory = watchInventory({
    driver,
    reserveBytes,
    clock,
    log,
    makeRoom: createDiskRoom({ ...deps, reserveBytes }),
    changed: sendAll,
    everyMs: () => limits().inventoryMs,
  });
  const health = watchHealth({ look: deps.lookAtHealth, checked: sendAll, limits, clock, log });

  return {
    start: health.start,
    /** For a hello message. */
    async hello(): Promise<Pick<Hello, 'inventory' | 'draining' | 'health'>> {
      const state = await current();
      reported = JSON.stringify(state);
      return state;
    },
    /** The service has accepted the hello: what has changed since then is sent. */
    welcomed: sendAll,
    /**
     * The configuration was written: it has changed, or `doctor --fix` has written the same one and waits for new
     * checks.
     */
    configured: health.again,
    /** The configuration accepts builds again, or no longer. */
    drainChanged: sendAll,
    /** Disk space may have been used or freed. */
    diskChanged: inventory.diskChanged,
    /** The driver reports something new, for example why it cannot create Macs. */
    driverChanged() {
      inventory.changed();
      health.changed();
    },
    close() {
      inventory.close();
      health.close();
    },
  };
}
