// The driver of Macs that are virtual machines of this host, for any tool. A slot's Mac is the virtual machine that
// its record names. See docs/adr/0039-virtual-machines-over-a-tool-port.md.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { createLog, type Log } from '../../../shared/log.js';
import { installRuntime } from '../../guest/software/install-runtime.js';
import { installTool } from '../../guest/software/install-tool.js';
import { selectXcode } from '../../guest/software/select-xcode.js';
import { defaultSoftwareLimits, defaultVmLimits } from '../../limits.js';
import { serial } from '../../system/serial.js';
import type { DriverChanges, MacDriver, VmDriverSpec } from '../driver.js';
import { type GuestAccess, VmLostError } from '../guest-access.js';
import { guestBuilds } from '../guest-builds.js';
import { stagingFolders } from '../guest-staging.js';
import { freeBytesOf, inventoryOf } from '../local-host.js';
import type { VmContext } from './context.js';
import { createHostBlocks } from './host-block.js';
import { openImageKnowledge } from './image-knowledge.js';
import { createImages } from './images.js';
import { createMachines } from './machines.js';
import { createRoom } from './room.js';
import { createSpares, type Spares } from './spares.js';
import type { VmTool } from './tool.js';
import { transportOf } from './vm-guest.js';
import { createVmMacs } from './vm-macs.js';
import { createVmStore } from './vm-store.js';
import { watchVms } from './vm-watch.js';
import { vmWork } from './vm-work.js';

export interface VmDriverOptions {
  readonly tool: VmTool;
  readonly spec: VmDriverSpec;
  /** The password of the images' user; null in the process of a build. */
  readonly password: string | null;
  /** Default: the free bytes of the disk with the tool's folder. */
  readonly freeBytes?: () => Promise<number>;
  readonly clock?: Clock;
  readonly log?: Log;
}

export function createVmDriver(options: VmDriverOptions): MacDriver {
  const { spec } = options;
  const dataDir = spec.data_dir;
  let changes: DriverChanges | null = null;
  const closing = new AbortController();
  const context = createContext(options, closing.signal, {
    block: () => changes?.inventory(),
    images: () => changes?.images(),
  });
  const { store } = context;
  const cloning = serial();

  // Spares are deleted when a Mac needs their place; both spares and images are deleted to free disk space.
  const parts = { machines: () => machines, images: () => images, spares: (): Spares => spares };
  const room = createRoom(context, parts);
  const machines = createMachines(context, () => spares.makeWay());
  const images = createImages(context, { changed: () => changes?.images(), room: room.forBytes });
  const spares: Spares = createSpares({
    context,
    machines,
    images,
    cloning,
    hasRoom: room.hasFor,
    busy: () => macs.busy(),
    // A process that does not watch, such as a build process, keeps no spares.
    closed: () => closing.signal.aborted || changes === null,
  });
  const macs = createVmMacs({ context, machines, images, spares, cloning, makeRoom: room.forMachine });

  const guest = async (slotId: string): Promise<GuestAccess> => {
    const slot = store.readSlot(slotId);
    const vm = slot && store.read(slot.vm);
    if (!vm?.prepared || vm.booting) throw new VmLostError('no Mac runs in this slot');
    const running = async () =>
      (await machines.list()).some(
        (one) => one.name === vm.name && one.state !== 'stopped' && one.state !== 'suspended',
      );
    if (!(await running())) throw new VmLostError(`the virtual machine ${vm.name} does not run`);
    const { user, home } = context.knowledge.guestOf(vm.digest) ?? {
      user: spec.user,
      home: `/Users/${spec.user}`,
    };
    return { transport: transportOf(context, vm), user, home, vm: vm.name, running };
  };
  const inGuest = async (slotId: string) => (await guest(slotId)).transport;

  return {
    kind: spec.kind,
    spec,
    async inventory() {
      const found = await inventoryOf(dataDir, []);
      const disk_free_bytes = Math.min(found.disk_free_bytes, await context.freeBytes());
      return { ...found, disk_free_bytes, driver: spec.kind, blocked: context.blocks.current() };
    },
    claimSlots: store.claimSlots,
    ...macs,
    ...stagingFolders(dataDir),
    ...guestBuilds(guest),
    ...vmWork(context, machines, guest),
    async selectXcode(slotId, version) {
      await selectXcode(await inGuest(slotId), version, context.software);
    },
    async installRuntime(slotId, name, percent) {
      const given = { ...context.software, runtimesDir: spec.runtimes_dir };
      await installRuntime(await inGuest(slotId), name, percent, given);
    },
    async installTool(slotId, name, percent) {
      await installTool(await inGuest(slotId), name, percent, context.software);
    },
    freeBytes: () => freeBytesOf(dataDir),
    guest,
    wantImages: images.want,
    imageFacts: images.facts,
    watch(on) {
      changes = on;
      const watching = watchVms({
        context,
        machines,
        images,
        spares,
        cloning,
        macsChanged: on.macs,
        hasRoom: async () => {
          const last = context.knowledge.lastModel();
          return last === null || room.hasFor(last);
        },
      });
      return {
        async close() {
          closing.abort(new Error('the agent is stopping'));
          changes = null;
          await watching.close();
        },
      };
    },
  };
}

function createContext(
  options: VmDriverOptions,
  closing: AbortSignal,
  changed: { readonly block: () => void; readonly images: () => void },
): VmContext {
  const { tool, spec, password, clock = systemClock } = options;
  const limits = { ...defaultVmLimits, ...spec.limits };
  return {
    tool,
    settings: spec,
    password,
    clock,
    closing,
    store: createVmStore(spec.data_dir),
    knowledge: openImageKnowledge(spec.data_dir, { changed: changed.images, clock, limits }),
    blocks: createHostBlocks(changed.block),
    freeBytes: options.freeBytes ?? (() => freeBytesOf(existingParent(spec.home ?? spec.data_dir))),
    limits,
    software: { clock, limits: { ...defaultSoftwareLimits, ...spec.software_limits } },
    log: options.log ?? createLog('driver', 'silent'),
  };
}

/** Returns the folder, or the nearest one above it that exists: the tool creates its own when it is first used. */
function existingParent(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : existingParent(path.dirname(folder));
}
