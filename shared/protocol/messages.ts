// The JSON messages of the host link. Unknown types and invalid fields close the link (CLOSE.invalidMessage); an invalid
// record in a list is left out.

import { z } from 'zod';
import { buildResult, buildSecret, buildSpec, commitAbout, commitId, stepTimes, stopReason } from '../build.js';
import { driverNames } from '../drivers.js';
import { hostHealth } from './health.js';
import { desiredImage, imageFacts, imageProgress } from './images.js';
import {
  code,
  digest,
  displayText,
  firstOf,
  hostName,
  hostPath,
  id,
  messageBeside,
  sha256Hex,
  sound,
  time,
  version,
} from './kinds.js';
import { desiredAgent, hostUpgrade } from './upgrade.js';

const buildRef = { build_id: id(), attempt: z.int().min(1) };

/** The state of an attempt on the host. `absent` answers a desire for an attempt that the host does not have. */
export const buildFact = z.object({
  ...buildRef,
  state: z.enum(['starting', 'running', 'finished', 'absent']),
  /** Length of the masked log on the host, in bytes. */
  log_bytes: z.int().min(0),
  /** Time of the last output before masking, ms. */
  last_output_at: time().nullable(),
  /** How long ago that was when the message was made, ms. Missing from hosts of version 2. */
  silent_ms: z.int().min(0).nullable().optional(),
  /** The checked out commit; null before that, and for an upload. */
  commit_sha: commitId.nullable().optional(),
  /** Missing from older hosts. */
  commit_about: commitAbout.nullable().optional(),
  steps: stepTimes().optional(),
});
export type BuildFact = z.infer<typeof buildFact>;

/** Progress of a change of a Mac. */
export const macProgress = z.object({
  step: z.enum(['remove', 'create', 'empty_work', 'xcode', 'runtimes', 'tools']),
  /** Of the whole change. */
  percent: z.int().min(0).max(100),
  /** The fetch of the Mac's image, which is the beginning of `create`; null or missing: none is in progress. */
  image: imageProgress.nullable().optional(),
});
export type MacProgress = z.infer<typeof macProgress>;

/** A revision that the host could not reach and does not retry without a new desire. */
export const macRefusal = z.object({
  revision: z.int().min(0),
  /** not_installed: the host does not have what the desire names, so a retry cannot succeed. */
  code: z.enum(['not_installed', 'failed']),
  message: displayText(600),
});
export type MacRefusal = z.infer<typeof macRefusal>;

/** The Mac in a slot. */
export const macFact = z.object({
  slot_id: id(),
  rental_id: id().nullable(),
  generation: z.int().min(0),
  /** The revision that the Mac has reached; while preparing or failed, the one it is being brought to. */
  revision: z.int().min(0),
  /** ready: builds can run in it, even after a refused change. failed: there is no working Mac. */
  state: z.enum(['empty', 'preparing', 'ready', 'failed']),
  /** The selected Xcode; null also while that is changed. */
  xcode: displayText(64).nullable(),
  /** The digest of the image that the Mac was made from; null: unknown, or the driver has no images. */
  image_digest: digest().nullable().optional(),
  progress: macProgress.nullable(),
  refused: macRefusal.nullable(),
  error: displayText(600).nullable(),
  /** What kind of error that is, e.g. `disk_full`; hosts may know kinds that the service does not. */
  error_code: code().nullable().optional(),
});
export type MacFact = z.infer<typeof macFact>;

/** Why a host cannot create Macs now. Macs that exist, and builds in them, are not affected. */
export const hostBlock = z.object({
  /** E.g. `vm_limit_leaked`, `vm_tool_missing`, `keychain_locked`, `disk_full`. */
  code: code(),
  message: displayText(600),
});
export type HostBlock = z.infer<typeof hostBlock>;

export const inventory = z.object({
  hostname: hostName(),
  os: displayText(100),
  /** The version of macOS, e.g. `26.1`, and the chip, e.g. `Apple M4 Pro`. */
  macos: displayText(64).optional(),
  chip: displayText(100).optional(),
  arch: version(),
  cpu_cores: z.int().min(1),
  memory_bytes: z.int().min(0),
  disk_free_bytes: z.int().min(0),
  /** The size of the disk that holds the data folder. */
  disk_total_bytes: z.int().min(0).optional(),
  /** With less free space than this the host takes no builds. */
  disk_reserve_bytes: z.int().min(0).optional(),
  driver: z.enum(driverNames),
  xcodes: firstOf(
    z.object({
      version: displayText(64),
      build: displayText(64).nullable(),
      developer_dir: hostPath(),
    }),
    100,
  ),
  /** The control plane places no new Mac on the host while this is reported. */
  blocked: hostBlock.nullable().optional(),
});
export type Inventory = z.infer<typeof inventory>;

/** The root address at which the host reaches the service. Hosts that do not report it cannot move. */
export const hostAddress = z.object({
  site_url: displayText(300),
  /** A move that is not finished: where to, and why the last attempt failed. */
  move: z
    .object({ to: displayText(300), error: displayText(300).nullable(), error_message: messageBeside(300) })
    .nullable(),
});
export type HostAddress = z.infer<typeof hostAddress>;

export const agentMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    oldest_protocol: z.int(),
    agent_version: version(),
    inventory,
    /** The host's configuration accepts no new builds. */
    draining: z.boolean(),
    builds: sound(buildFact, 1000),
    macs: sound(macFact, 1000),
    images: imageFacts(),
    address: hostAddress.optional(),
    upgrade: hostUpgrade.optional(),
    /** Which machine this is: the same after a restart, another for another machine. Missing: it cannot be read. */
    machine: sha256Hex.optional(),
    /** Missing until the host has run its checks; the service then keeps what it knows. */
    health: hostHealth.optional(),
    /** When it was sent, by the host's clock. */
    sent_at: time().optional(),
  }),
  /** Sent when one of them changes. */
  z.object({
    type: z.literal('inventory'),
    inventory,
    draining: z.boolean(),
    health: hostHealth.optional(),
    sent_at: time().optional(),
  }),
  /**
   * Changes since hello, which reports everything; whatever is not included has not changed. A build's activity is
   * sent at most every few seconds. An emptied slot is reported once more, as empty.
   */
  z.object({
    type: z.literal('facts'),
    builds: sound(buildFact, 1000),
    macs: sound(macFact, 1000),
    images: imageFacts(),
    address: hostAddress.optional(),
    upgrade: hostUpgrade.optional(),
  }),
  /** Repeated until acknowledged. */
  z.object({ type: z.literal('build_finished'), ...buildRef, result: buildResult }),
  /** The desire with this sequence number has been accepted. */
  z.object({ type: z.literal('desire_ack'), sequence: z.int().min(0) }),
]);
export type AgentMessage = z.infer<typeof agentMessage>;

/** One attempt that should run, or be stopped, on this host. */
export const desiredBuild = z.object({
  ...buildRef,
  want: z.enum(['run', 'stop']),
  stop_reason: stopReason.nullable(),
  /** Both are sent only until the host has reported this attempt; then null. */
  spec: buildSpec.nullable(),
  secrets: z.array(buildSecret).nullable(),
});
export type DesiredBuild = z.infer<typeof desiredBuild>;

/** The Mac that should be in a slot; slots that are not named should be empty. */
export const desiredMac = z.object({
  slot_id: z.string(),
  rental_id: z.string(),
  account_id: z.int(),
  /** Incremented by every reset of the Mac; nothing of an older generation may remain. */
  generation: z.int().min(0),
  /** Incremented by every change, including those that keep the Mac; never decremented. */
  revision: z.int().min(0),
  /** To reach this revision, the work folders are deleted. Home and caches stay. */
  empty_work: z.boolean(),
  /** To reach this revision, the folders of the Mac are recreated, or, if that fails, the whole Mac. */
  repair: z.boolean().default(false),
  /** The image that the driver creates the Mac from, if it uses images. */
  image: z.string().nullable(),
  /** What to create it from; null: the image is not resolved yet. */
  image_digest: z.string().nullable().default(null),
  /** The size of a Mac that the driver creates as a virtual machine; null: as in the image. */
  cpu_cores: z.int().min(1).nullable().default(null),
  memory_gb: z.int().min(1).nullable().default(null),
  disk_gb: z.int().min(1).nullable().default(null),
  /** Xcode to select; null: the image's default. */
  xcode: z.string().nullable(),
  /** To be installed, in addition to what the image has. */
  runtimes: z.array(z.string()),
  tools: z.array(z.string()),
});
export type DesiredMac = z.infer<typeof desiredMac>;

/** The control plane sends fewer. */
const MOST_DESIRED = 100_000;

export const controlMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    protocol: z.int(),
    host_id: z.string(),
    heartbeat_ms: z.int().min(1),
    /** Time of the control plane's clock, ms. */
    now: z.int(),
  }),
  /**
   * Everything this host should have and do; replaces every earlier desire. Sequence numbers increase within a
   * connection.
   */
  z.object({
    type: z.literal('desire'),
    sequence: z.int().min(0),
    builds: sound(desiredBuild, MOST_DESIRED),
    macs: sound(desiredMac, MOST_DESIRED),
    /** Every image that tiers name. */
    images: sound(desiredImage, MOST_DESIRED).default([]),
    /**
     * The root address that the host should use from now on; null: the one that it uses. It moves only if the service
     * there proves that it knows the host, and stays if it is not welcomed there.
     */
    move_to: z.object({ site_url: z.string() }).nullable().default(null),
    /** The package that the agent should install and run; null: it stays as it is. */
    agent: desiredAgent.nullable().default(null),
  }),
  /**
   * The log is stored up to next_offset. resend: nothing beyond it was kept, and the host continues from there. After
   * hello, one is sent for every build in hello; the host sends no output of that build before.
   */
  z.object({
    type: z.literal('output_ack'),
    ...buildRef,
    next_offset: z.int().min(0),
    resend: z.boolean(),
  }),
  /**
   * resend_from: the log is incomplete; send it from there, then build_finished again. null: everything is stored.
   */
  z.object({ type: z.literal('finished_ack'), ...buildRef, resend_from: z.int().min(0).nullable() }),
]);
export type ControlMessage = z.infer<typeof controlMessage>;
