// A daemon over a real socket, with spooled builds and Macs in memory.
import { join } from 'node:path';
import { parseConfig } from '../../../host-agent/daemon/config.js';
import { createDaemon, type Daemon } from '../../../host-agent/daemon/daemon.js';
import { openJournal } from '../../../host-agent/daemon/journal.js';
import type { ReconcilerDriver } from '../../../host-agent/daemon/macs/mac-reconciler.js';
import { openMoveFile } from '../../../host-agent/daemon/move-file.js';
import { createMover } from '../../../host-agent/daemon/mover.js';
import { createUpgrades } from '../../../host-agent/daemon/upgrades.js';
import type { DriverChanges, MacDriver, MacRecord } from '../../../host-agent/driver/driver.js';
import type { DaemonLimits, LinkLimits } from '../../../host-agent/limits.js';
import type { LinkAddress } from '../../../host-agent/system/request.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { uncoded } from '../../../shared/messages/message.js';
import type { DesiredImage, HealthFinding, ImageFact, Inventory } from '../../../shared/protocol/index.js';
import { machine } from '../../harness/samples.js';
import { type SpooledBuild, type SpooledBuilds, spooledBuilds } from './spooled-builds.js';

export interface MemoryDriver extends ReconcilerDriver, Pick<MacDriver, 'wantImages' | 'imageFacts' | 'watch'> {
  /** What `imageFacts` returns. */
  images: ImageFact[];
  /** The images that the daemon last requested; null: none yet. */
  wantedImages: readonly DesiredImage[] | null;
  /** Of the daemon that watches. */
  watcher: DriverChanges | null;
  readonly calls: string[];
  /** Null: a Mac whose creation was interrupted. */
  readonly slots: Map<string, MacRecord | null>;
  /** Slots whose virtual machine does not run. */
  readonly stopped: Set<string>;
  inventoryNow: Inventory;
  /** Work folders of every Mac. */
  readonly work: Map<string, { usedAt: number; bytes: number }>;
  /** Called before each change; may throw or wait. */
  before: (call: string) => void | Promise<void>;
}

export function memoryDriver(): MemoryDriver {
  const slots = new Map<string, MacRecord | null>();
  const calls: string[] = [];
  const step = async (...call: string[]) => {
    calls.push(call.join(' '));
    await self.before(call.join(' '));
  };
  const self: MemoryDriver = {
    kind: 'local',
    calls,
    slots,
    stopped: new Set(),
    before: () => {},
    claimSlots: () => {},
    work: new Map(),
    images: [],
    wantedImages: null,
    watcher: null,
    wantImages(images) {
      self.wantedImages = images;
    },
    imageFacts: async () => self.images,
    watch(changes) {
      self.watcher = changes;
      return {
        async close() {
          self.watcher = null;
        },
      };
    },
    inventoryNow: machine,
    inventory: async () => self.inventoryNow,
    listMacs: async () =>
      [...slots].map(([slot_id, record]) => ({ slot_id, record, stopped: self.stopped.has(slot_id) })),
    async create({ slot_id }) {
      await step('create', slot_id);
      slots.set(slot_id, null);
    },
    async start(slotId) {
      await step('start', slotId);
      self.stopped.delete(slotId);
    },
    async remove(slotId) {
      await step('remove', slotId);
      slots.delete(slotId);
    },
    async discardRecord(slotId) {
      await step('discardRecord', slotId);
      if (slots.has(slotId)) slots.set(slotId, null);
    },
    emptyWork: (slotId) => step('emptyWork', slotId),
    repair: (slotId) => step('repair', slotId),
    workFolders: async () => [...self.work].map(([name, { usedAt }]) => ({ name, usedAt })),
    async removeWorkFolder(slotId, name) {
      await step('removeWorkFolder', slotId, name);
      const { disk_free_bytes } = self.inventoryNow;
      const { bytes } = self.work.get(name) ?? { bytes: 0 };
      self.inventoryNow = { ...self.inventoryNow, disk_free_bytes: disk_free_bytes + bytes };
      self.work.delete(name);
    },
    freeBytes: async () => self.inventoryNow.disk_free_bytes,
    selectXcode: (slotId, version) => step('selectXcode', slotId, version),
    installRuntime: (slotId, name) => step('installRuntime', slotId, name),
    installTool: (slotId, name) => step('installTool', slotId, name),
    async saveRecord(slotId, record) {
      slots.set(slotId, record);
    },
  };
  return self;
}

export interface TestAgent {
  readonly daemon: Daemon;
  readonly builds: SpooledBuilds;
  readonly driver: MemoryDriver;
}

/** Short times, so that what takes seconds in production takes milliseconds here. */
export const quickLimits: Partial<LinkLimits> = {
  reconnectBaseMs: 5,
  reconnectMaxMs: 50,
  handshakeMs: 2_000,
  activityMs: 20,
  finishedRetryMs: 100,
  artifactRetryBaseMs: 5,
  artifactRetryMaxMs: 50,
};

export function createTestAgent(options: {
  dir: string;
  address: LinkAddress | (() => LinkAddress);
  run?: (build: SpooledBuild) => void | Promise<void>;
  limits?: Partial<LinkLimits>;
  /** The disk and the build processes of an earlier daemon. */
  builds?: SpooledBuilds;
  driver?: MemoryDriver;
  slots?: number;
  lookAtHealth?: () => Promise<HealthFinding[]>;
  daemonLimits?: Partial<DaemonLimits>;
  clock?: Clock;
  /** Receives the log, line by line. */
  logged?: (line: string) => void;
}): TestAgent {
  const { address } = options;
  const driver = options.driver ?? memoryDriver();
  const builds = options.builds ?? spooledBuilds(join(options.dir, 'builds'), options.run);
  const link = typeof address === 'function' ? address : () => address;
  const { logged } = options;
  const log = logged
    ? createLog('agent', 'info', { write: logged })
    : createLog('agent', process.env.CIDERMILL_LOG_LEVEL ?? 'silent');
  const daemon = createDaemon({
    dataDir: options.dir,
    config: parseConfig({
      control_plane: 'http://127.0.0.1',
      slots: options.slots ?? null,
      limits: {
        link: { ...quickLimits, ...options.limits },
        daemon: { retryBaseMs: 5, retryMaxMs: 20, inventoryMs: 20, ...options.daemonLimits },
      },
    }),
    address: link,
    driver,
    state: { changed() {}, link() {} },
    journal: openJournal(options.dir),
    openBuilds: builds.open,
    agentVersion: '0.0.0-test',
    openMover: (mover) =>
      createMover({
        ...mover,
        configured: link,
        refusalOf: async () => uncoded('this agent does not move'),
        configure() {},
        file: openMoveFile(options.dir),
        clock: systemClock,
        log,
      }),
    openUpgrades: (host) => createUpgrades({ ...host, address: link, keys: [], installation: null, replaced() {} }),
    lookAtHealth: options.lookAtHealth ?? (async () => []),
    clock: options.clock ?? systemClock,
    log,
  });
  return { daemon, builds, driver };
}
