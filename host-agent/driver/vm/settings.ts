// What a driver of virtual machines needs to know; without credentials, so that it may reach the process of a build.
import { z } from 'zod';

export const vmSettings = z.object({
  data_dir: z.string(),
  /** The tool's executable, or a name that is looked up on PATH. */
  path: z.string(),
  /** Folder in which the tool keeps virtual machines and images; null: its default. */
  home: z.string().nullable(),
  /** How to reach guests; auto: by the tool itself if the image allows it, else by ssh. */
  guest: z.enum(['auto', 'exec', 'ssh']),
  /** The user of images. */
  user: z.string(),
  /** Names of this agent's virtual machines begin with it. */
  name_prefix: z.string(),
  pull_concurrency: z.int().min(1),
  /** Macs that this host may have at a time. */
  slots: z.int().min(1),
  /** Clean virtual machines that are kept ready for the next Mac. */
  warm_spares: z.int().min(0),
  /** Folder of this host with simulator runtimes that the operator has fetched; null: none. */
  runtimes_dir: z.string().nullable(),
  /** Limits that differ from the defaults. */
  limits: z.record(z.string(), z.number()),
  /** The same of the work in a guest. */
  guest_limits: z.record(z.string(), z.number()).default({}),
  /** The same of changes to its software. */
  software_limits: z.record(z.string(), z.number()).default({}),
});
export type VmSettings = z.infer<typeof vmSettings>;
