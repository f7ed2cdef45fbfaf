// What the daemon reports of the machine itself: its inventory, whether it accepts builds, its health.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { AgentMessage, HealthFinding } from '../../shared/protocol/index.js';
import { type DaemonLimits, defaultBuildLimits } from '../limits.js';
import { type AgentConfig, buildLimitsOf } from './config.js';
import { createDiskRoom } from './disk-room.js';
import { watchHealth } from './health-watch.js';
import { watchInventory } from './inventory.js';
import type { Hello } from './link/connection.js';
import type { MacReconciler, ReconcilerDriver } from './macs/mac-reconciler.js';

export interface HostReports {
  start(): void;
  /** For a hello message. */
  hello(): Promise<Pick<Hello, 'inventory' | 'draining' | 'health'>>;
  /** The configuration accepts builds again, or no longer. */
  drainChanged(): void;
  /** Disk space may have been used or freed. */
  diskChanged(): void;
  /** The driver reports something new, for example why it cannot create Macs. */
  driverChanged(): void;
  close(): void;
}

export function createHostReports(deps: {
  dataDir: string;
  driver: ReconcilerDriver;
  macs: Pick<MacReconciler, 'whileIdle'>;
  config: () => AgentConfig;
  /** Makes the doctor's checks. */
  lookAtHealth: () => Promise<HealthFinding[]>;
  send: (message: AgentMessage) => boolean;
  limits: () => DaemonLimits;
  clock: Clock;
  log: Log;
}): HostReports {
  const { driver, config, send, limits, clock, log } = deps;
  const reserveBytes = () => ({ ...defaultBuildLimits, ...buildLimitsOf(config()) }).diskReserveBytes;

  const sendAll = () =>
    void reports
      .hello()
      .then((state) => send({ type: 'inventory', ...state, sent_at: clock.now() }))
      .catch((error: unknown) => log.error({ err: error }, 'cannot report the state of this host'));
  const inventory = watchInventory({
    ...{ driver, reserveBytes, clock, log },
    makeRoom: createDiskRoom({ ...deps, reserveBytes }),
    changed: sendAll,
    everyMs: () => limits().inventoryMs,
  });
  const health = watchHealth({ look: deps.lookAtHealth, checked: sendAll, limits, clock, log });

  const reports: HostReports = {
    start: health.start,
    async hello() {
      const checked = health.current();
      return {
        inventory: await inventory.current(),
        draining: config().drain,
        ...(checked === null ? {} : { health: checked }),
      };
    },
    drainChanged: sendAll,
    diskChanged: inventory.diskChanged,
    driverChanged() {
      inventory.changed();
      health.changed();
    },
    close() {
      inventory.close();
      health.close();
    },
  };
  return reports;
}
