// Every JSON message of the host link. Unknown types and invalid fields close the link (CLOSE.invalidMessage).
import { z } from 'zod';
import { buildResult, buildSecret, buildSpec, commitId, stopReason } from '../build.js';

const buildRef = { build_id: z.string(), attempt: z.int().min(1) };

/** What the host has of an attempt. `absent` answers a desire that the host cannot find any more. */
export const buildFact = z.object({
  ...buildRef,
  state: z.enum(['starting', 'running', 'finished', 'absent']),
  /** Bytes of masked log that the host holds. */
  log_bytes: z.int().min(0),
  /** Time of the last raw output (before masking), ms. */
  last_output_at: z.int().nullable(),
  /** The commit that was checked out; null before that, and for an upload. */
  commit_sha: commitId.nullable().optional(),
});
export type BuildFact = z.infer<typeof buildFact>;

/** How far a change of a Mac has come. */
export const macProgress = z.object({
  step: z.enum(['remove', 'create', 'empty_work', 'xcode', 'runtimes', 'tools']),
  percent: z.int().min(0).max(100),
});
export type MacProgress = z.infer<typeof macProgress>;

/** A revision that the host could not bring about and no longer tries by itself, or not without another reason. */
export const macRefusal = z.object({
  revision: z.int().min(0),
  /** not_installed: what the desire names is not on this host, and trying again would not change that. */
  code: z.enum(['not_installed', 'failed']),
  message: z.string().max(600),
});
export type MacRefusal = z.infer<typeof macRefusal>;

/** What the host has in a slot. */
export const macFact = z.object({
  slot_id: z.string(),
  rental_id: z.string().nullable(),
  generation: z.int().min(0),
  /** What the Mac has reached; of one that is preparing or failed: what it is being brought to. */
  revision: z.int().min(0),
  /** ready: builds can run in it, also when a change has been refused. failed: there is no Mac that works. */
  state: z.enum(['empty', 'preparing', 'ready', 'failed']),
  /** Selected now; null also while that is being changed. */
  xcode: z.string().nullable(),
  progress: macProgress.nullable(),
  refused: macRefusal.nullable(),
  error: z.string().nullable(),
});
export type MacFact = z.infer<typeof macFact>;

export const inventory = z.object({
  hostname: z.string(),
  os: z.string(),
  arch: z.string(),
  cpu_cores: z.int().min(1),
  memory_bytes: z.int().min(0),
  disk_free_bytes: z.int().min(0),
  /** With less free space than this the host wants no builds. */
  disk_reserve_bytes: z.int().min(0).optional(),
  driver: z.enum(['local', 'tart']),
  xcodes: z.array(z.object({ version: z.string(), build: z.string().nullable(), developer_dir: z.string() })),
});
export type Inventory = z.infer<typeof inventory>;

export const agentMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    oldest_protocol: z.int(),
    agent_version: z.string(),
    inventory,
    /** The host's own configuration asks for no new work. */
    draining: z.boolean(),
    builds: z.array(buildFact),
    macs: z.array(macFact),
  }),
  /** Sent whenever either changes. */
  z.object({ type: z.literal('inventory'), inventory, draining: z.boolean() }),
  /**
   * What has changed since hello, which names everything; what is not named has not changed. A build's activity
   * comes at most every few seconds. A slot that has been emptied is named once more, as empty.
   */
  z.object({ type: z.literal('facts'), builds: z.array(buildFact), macs: z.array(macFact) }),
  /** Repeated until acknowledged. */
  z.object({ type: z.literal('build_finished'), ...buildRef, result: buildResult }),
  /** The whole desire with this sequence number has been taken over. */
  z.object({ type: z.literal('desire_ack'), sequence: z.int().min(0) }),
]);
export type AgentMessage = z.infer<typeof agentMessage>;

/** One attempt that should be running, or should be stopped, on this host. */
export const desiredBuild = z.object({
  ...buildRef,
  want: z.enum(['run', 'stop']),
  stop_reason: stopReason.nullable(),
  /** Both only until the host has reported this attempt; then null. */
  spec: buildSpec.nullable(),
  secrets: z.array(buildSecret).nullable(),
});
export type DesiredBuild = z.infer<typeof desiredBuild>;

/** What should be in a slot; a slot that is not named should be empty. */
export const desiredMac = z.object({
  slot_id: z.string(),
  rental_id: z.string(),
  account_id: z.int(),
  /** Raised by everything that makes the Mac anew; nothing of an older generation may be left. */
  generation: z.int().min(0),
  /** Raised by every change, also by those that keep the Mac; never falls. */
  revision: z.int().min(0),
  /** On the way to this revision the work folders are removed. Home and caches stay. */
  empty_work: z.boolean(),
  /** On the way to this revision the folders of the Mac are made anew, or, failing that, the whole Mac. */
  repair: z.boolean().default(false),
  /** What the driver makes the Mac of, where it makes it of anything. */
  image: z.string().nullable(),
  /** To be selected; null: whatever the image has. */
  xcode: z.string().nullable(),
  /** To be there, besides what the image has. */
  runtimes: z.array(z.string()),
  tools: z.array(z.string()),
});
export type DesiredMac = z.infer<typeof desiredMac>;

export const controlMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    protocol: z.int(),
    host_id: z.string(),
    heartbeat_ms: z.int().min(1),
    /** Control plane's clock, ms. */
    now: z.int(),
  }),
  /** Everything this host should have and do; replaces every earlier desire. Sequences rise within a connection. */
  z.object({
    type: z.literal('desire'),
    sequence: z.int().min(0),
    builds: z.array(desiredBuild),
    macs: z.array(desiredMac),
  }),
  /**
   * The log is stored up to next_offset. resend: nothing that was sent beyond it has been kept, the host goes on
   * from there. After hello one comes for every build that hello named; the host sends no output of it before.
   */
  z.object({
    type: z.literal('output_ack'),
    ...buildRef,
    next_offset: z.int().min(0),
    resend: z.boolean(),
  }),
  /** resend_from: the log is not complete; send from there, then build_finished again. null: all is stored. */
  z.object({ type: z.literal('finished_ack'), ...buildRef, resend_from: z.int().min(0).nullable() }),
]);
export type ControlMessage = z.infer<typeof controlMessage>;
