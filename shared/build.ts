// What a host is told of a build, and what it reports when the build has ended.
import { z } from 'zod';

export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** The full id of a commit, in a repository with SHA-1 or SHA-256 ids. */
export const commitId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** Where the work folder's content comes from. */
export const buildSource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('upload'),
    upload_id: z.string(),
    manifest_sha256: sha256Hex,
    files: z.int().min(0),
    total_bytes: z.int().min(0),
  }),
  z.object({
    kind: z.literal('git'),
    /** https (or a test's file/ssh) address; never carries credentials. */
    url: z.string(),
    ref: z.string().nullable(),
    commit: z.string().nullable(),
    pr: z.int().min(1).nullable(),
  }),
]);
export type BuildSource = z.infer<typeof buildSource>;

/** Everything a host needs to run one attempt of a build, without the secrets. Times in ms. */
export const buildSpec = z.object({
  build_id: z.string(),
  attempt: z.int().min(1),
  /** Tenant: caches on the host are never shared between accounts. */
  account_id: z.int().min(0),
  rental_id: z.string(),
  slot_id: z.string(),
  script: z.string(),
  xcode: z.string().nullable(),
  timeout_ms: z.int().min(1),
  clean_tree: z.boolean(),
  source: buildSource,
  /** Builds with the same key begin in the same work folder of a Mac, all others in another one. */
  source_key: z.string().optional(),
  labels: z.object({
    repo: z.string().nullable(),
    ref: z.string().nullable(),
    commit: z.string().nullable(),
    pr: z.int().nullable(),
  }),
  /** Kept log: bytes at the head and at the tail; what lies between is counted, not kept. */
  log: z.object({ head_bytes: z.int().min(0), tail_bytes: z.int().min(0) }),
  /** Milliseconds of silence after which the host reports it. */
  silence_ms: z.int().min(1),
  /** Milliseconds between SIGTERM and SIGKILL. */
  kill_grace_ms: z.int().min(0),
  artifacts: z.object({ max_files: z.int().min(0), max_bytes: z.int().min(0) }),
});
export type BuildSpec = z.infer<typeof buildSpec>;

/** A secret of the account: an environment variable of the build, masked in everything it prints. */
export const buildSecret = z.object({ name: z.string(), value: z.string() });
export type BuildSecret = z.infer<typeof buildSecret>;

export const buildStep = z.enum(['prepare', 'source', 'xcode', 'script', 'artifacts', 'platform']);
export type BuildStep = z.infer<typeof buildStep>;

/** Why the host stopped a build before its script ended by itself. */
export const stopReason = z.enum(['cancelled_by_user', 'timeout', 'rental_ended', 'superseded']);
export type StopReason = z.infer<typeof stopReason>;

export const artifactReport = z.object({
  /** Path below CIDERMILL_ARTIFACTS, with `/`, already masked. */
  name: z.string(),
  bytes: z.int().min(0),
  sha256: sha256Hex,
});
export type ArtifactReport = z.infer<typeof artifactReport>;

/** What a host reports, once, of an attempt that has ended. All text is masked already. */
export const buildResult = z.object({
  /** exited: the script ended by itself. stopped: see stop_reason. failed: it could not be run to its end. */
  outcome: z.enum(['exited', 'stopped', 'failed']),
  /** 128 + n for a signal n; null when no process ended. */
  exit_code: z.int().nullable(),
  stop_reason: stopReason.nullable(),
  step: buildStep,
  /** Of decisions' list of reason codes; null for a plain exit. */
  reason_code: z.string().nullable(),
  fault: z.enum(['customer', 'platform', 'unknown']).nullable(),
  summary: z.string().max(600).nullable(),
  /** Absolute path of the work folder as the build saw it; without it places in its log stay unknown. */
  work_folder: z.string().max(4096).optional(),
  /** The commit that was checked out; null before that, and for an upload. */
  commit_sha: commitId.nullable().optional(),
  script_started_at: z.int().nullable(),
  ended_at: z.int(),
  log: z.object({
    bytes: z.int().min(0),
    sha256: sha256Hex,
    /** Bytes left out between head and tail. */
    omitted_bytes: z.int().min(0),
    /** The wrapper died, so the last output may be missing. */
    possibly_truncated: z.boolean(),
    /** The host no longer has the whole log and sends no more of it; length and hash say nothing. */
    lost: z.boolean().optional(),
  }),
  artifacts: z.array(artifactReport),
  /** Sentences for the person, e.g. that an artifact holds a secret's value (by the secret's name). */
  warnings: z.array(z.string()),
});
export type BuildResult = z.infer<typeof buildResult>;
