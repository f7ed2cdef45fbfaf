// Frees disk space for images and virtual machines by deleting what can be fetched or created again.
import { imageError } from '../../../shared/messages/image-errors.js';
import type { VmContext } from './context.js';
import type { ImageOnHost } from './image-fetches.js';
import type { Model } from './image-knowledge.js';
import type { Images } from './images.js';
import type { Machines } from './machines.js';
import type { Spares } from './spares.js';
import type { Vm } from './tool.js';
import { VmToolError } from './tool.js';

export type Room = ReturnType<typeof createRoom>;

export function createRoom(
  context: VmContext,
  parts: { machines: () => Machines; images: () => Images; spares: () => Spares },
) {
  const { limits, blocks, freeBytes, log } = context;
  const missingFor = async ({ size }: Model, image: ImageOnHost): Promise<number> => {
    const diskBytes = size.diskGb === null ? image.diskBytes : Math.max(size.diskGb * GB, image.diskBytes ?? 0);
    return missingBytes({
      free: await freeBytes(),
      vms: await parts.machines().list(),
      fresh: { diskBytes, usedBytes: image.usedBytes },
      most: limits.growthBytes,
      reserve: limits.reserveBytes,
    });
  };

  /** Deletes unused images first. */
  const make = async (what: 'no_room_for_vm' | 'no_room_for_image', missing: () => Promise<number>) => {
    if ((await missing()) <= 0) return;
    await parts.images().evict();
    if ((await missing()) <= 0) return;
    if (await parts.spares().giveUp()) log.info('deleted the spares to free disk space');
    const bytes = await missing();
    if (bytes <= 0) return;
    throw new VmToolError('disk_full', imageError(what, { size: gigabytes(bytes) }));
  };

  return {
    /** @throws VmToolError `disk_full` */
    async forMachine(model: Model, image: ImageOnHost) {
      await make('no_room_for_vm', () => missingFor(model, image));
      blocks.lift('room');
    },
    /** @throws VmToolError `disk_full` */
    forBytes: (bytes: number) =>
      make('no_room_for_image', async () => bytes + limits.reserveBytes - (await freeBytes())),
    /** Returns whether there is room, without deleting anything. */
    async hasFor(model: Model) {
      const image = await parts.images().find(model.image, model.digest);
      return image !== null && (await missingFor(model, image)) <= 0;
    },
  };
}

// Room for one more virtual machine: all of them may grow at the same time, and none may find the disk full.

/** Returns how much a virtual machine may still take, at most `most`. An unknown size counts as `most`. */
function growthOf(vm: Pick<Vm, 'diskBytes' | 'usedBytes'>, most: number): number {
  if (vm.diskBytes === null) return most;
  return Math.min(most, Math.max(0, vm.diskBytes - (vm.usedBytes ?? 0)));
}

/**
 * Returns how many bytes are missing for another virtual machine; 0 or less: there is room.
 *
 * @param disk.vms all that exist on the host
 * @param disk.reserve what stays free in any case
 */
function missingBytes(disk: {
  free: number;
  vms: readonly Pick<Vm, 'diskBytes' | 'usedBytes'>[];
  fresh: Pick<Vm, 'diskBytes' | 'usedBytes'>;
  most: number;
  reserve: number;
}): number {
  const { free, vms, fresh, most, reserve } = disk;
  const growth = [...vms, fresh].reduce((sum, vm) => sum + growthOf(vm, most), 0);
  return growth + reserve - free;
}

const GB = 1e9;

/** @example gigabytes(12_345_678_901) // '12.3 GB' */
const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`;
