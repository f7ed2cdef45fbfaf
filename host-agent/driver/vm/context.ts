// What the parts of a driver of virtual machines share.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { SoftwareOptions } from '../../guest/software/shell.js';
import type { VmLimits } from '../../limits.js';
import type { HostBlocks } from './host-block.js';
import type { ImageKnowledge } from './image-knowledge.js';
import type { VmSettings } from './settings.js';
import type { VmTool } from './tool.js';
import type { VmStore } from './vm-store.js';

export interface VmContext {
  readonly tool: VmTool;
  readonly settings: VmSettings;
  readonly store: VmStore;
  readonly knowledge: ImageKnowledge;
  readonly blocks: HostBlocks;
  /** The password of the images' user; null in the process of a build, which does not create Macs. */
  readonly password: string | null;
  /** Free bytes of the disk that holds virtual machines and images. */
  readonly freeBytes: () => Promise<number>;
  /** Aborted when the driver is closed: operations that wait for a guest stop, and the next agent continues them. */
  readonly closing: AbortSignal;
  readonly limits: VmLimits;
  /** For every change of a guest's software. */
  readonly software: SoftwareOptions;
  readonly clock: Clock;
  readonly log: Log;
}
