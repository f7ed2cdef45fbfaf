// The port of a tool that runs virtual machines on this host: its commands, one method each. What needs more than one
// command (names, limits, readiness, what is left behind) is the VM driver's and the same for every tool.
import type { VmDriverName } from '../../../shared/drivers.js';
import type { Message } from '../../../shared/messages/message.js';
import { SaidError } from '../../../shared/messages/said.js';
import type { GuestTransport } from '../../guest/transport.js';

export interface Vm {
  readonly name: string;
  readonly state: 'running' | 'stopped' | 'suspended' | 'unknown';
  /** Size of its disk as the guest sees it, and what that takes on this host; null: unknown. */
  readonly diskBytes: number | null;
  readonly usedBytes: number | null;
}

/** An image in the tool's cache. One that was fetched by tag may be listed by its digest a second time. */
export interface CachedImage {
  readonly ref: string;
  readonly digest: string | null;
  readonly bytes: number;
  /** Size of its disk as a guest sees it; null: unknown. */
  readonly diskBytes: number | null;
}

/** How far a fetch is. Bytes as they are transferred; null: the tool does not say them. */
export interface FetchProgress {
  readonly percent: number;
  readonly bytes: number | null;
  readonly totalBytes: number | null;
}

/** Null: as in the image. */
export interface VmSize {
  readonly cpuCores: number | null;
  readonly memoryGb: number | null;
  /** A disk only grows; a smaller size than the image's is ignored. */
  readonly diskGb: number | null;
}

/** Every method throws a VmToolError. */
export interface VmTool {
  readonly kind: VmDriverName;
  version(): Promise<string>;
  /** Lists all virtual machines of this host, also those that are not the agent's; no images. */
  list(): Promise<Vm[]>;
  images(): Promise<CachedImage[]>;
  /**
   * Fetches an image: this digest, or, with null, what its tag names now. Returns the digest.
   *
   * @throws VmToolError `image_not_found` also when the tool can fetch by tag only, and the tag has moved on
   */
  pull(
    image: { ref: string; digest: string | null },
    on: { progress: (progress: FetchProgress) => void; signal: AbortSignal },
  ): Promise<{ digest: string }>;
  /** Deletes an image from the cache; one that is not there is success. */
  deleteImage(ref: string): Promise<void>;
  /** Clones a cached image. The caller has made sure that `name` is free, and clones one at a time. */
  clone(image: { ref: string; digest: string }, name: string): Promise<void>;
  /** Sets the size, and always a random MAC address. */
  configure(name: string, size: VmSize): Promise<void>;
  /**
   * Starts it so that it outlives the agent. Resolves when it is running, before its system has booted; it may still end
   * by itself within the next second, when the system refuses it.
   */
  start(name: string): Promise<void>;
  /** Returns why it has ended, as far as its last start left a reason; null: none is known. */
  endReason(name: string): Promise<VmToolError | null>;
  /** Switches it off. One that is not running, or does not exist, is success. */
  stop(name: string, timeoutS: number): Promise<void>;
  /** Deletes a stopped one; one that does not exist is success. */
  delete(name: string): Promise<void>;
  address(name: string): Promise<string | null>;
  /** Null: this tool cannot run commands in a guest by itself. */
  execTransport(name: string): GuestTransport | null;
}

export type VmToolCode =
  | 'not_found'
  | 'not_running'
  | 'already_running'
  | 'exists'
  /** The system runs no more virtual machines now. */
  | 'limit_reached'
  | 'no_address'
  /** It did not answer in time. */
  | 'unresponsive'
  | 'keychain_locked'
  | 'disk_full'
  | 'image_not_found'
  | 'unauthorized'
  /** Its version does not know what was asked of it. */
  | 'incompatible'
  /** Its executable cannot be run. */
  | 'missing'
  | 'failed';

export class VmToolError extends SaidError {
  readonly code: VmToolCode;
  constructor(code: VmToolCode, message: Message | string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VmToolError';
    this.code = code;
  }
}
