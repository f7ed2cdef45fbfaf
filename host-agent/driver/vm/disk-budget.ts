// Room on the disk for one more virtual machine: all of them may grow at the same time, and none may find the disk full.
import type { Vm } from './tool.js';

/** Returns how much a virtual machine may still take, at most `most`. An unknown size counts as `most`. */
export function growthOf(vm: Pick<Vm, 'diskBytes' | 'usedBytes'>, most: number): number {
  if (vm.diskBytes === null) return most;
  return Math.min(most, Math.max(0, vm.diskBytes - (vm.usedBytes ?? 0)));
}

/**
 * Returns how many bytes are missing for another virtual machine; 0 or less: there is room.
 *
 * @param disk.vms all that exist on the host
 * @param disk.reserve what stays free in any case
 */
export function missingBytes(disk: {
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
export const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(1)} GB`;
