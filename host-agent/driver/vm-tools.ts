// The tools for virtual machines, by the names of their drivers.
import type { VmDriverName } from '../../shared/drivers.js';
import { lumeKind } from './lume/kind.js';
import { tartKind } from './tart/kind.js';
import type { VmToolKind } from './vm/tool-kind.js';

export const vmTools = { tart: tartKind, lume: lumeKind } satisfies Record<VmDriverName, unknown>;

/** Returns the tool of a driver, without the type of its own configuration, so that all tools have one type. */
export const vmToolOf = (driver: VmDriverName): VmToolKind => vmTools[driver] as unknown as VmToolKind;
