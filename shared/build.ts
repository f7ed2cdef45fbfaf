// What a host needs to run a build, and the result that it reports.
import { z } from 'zod';
import { buildWarning } from './messages/build-warnings.js';
import { type Message, uncoded } from './messages/message.js';
import {
  artifactName,
  code,
  commitId,
  displayText,
  firstOf,
  hostPath,
  messageBeside,
  sha256Hex,
  time,
  warningMessages,
  warningTexts,
} from './protocol/kinds.js';

export { commitId, sha256Hex };

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
    /** An https URL (file or ssh in tests) without credentials. */
    url: z.string(),
    ref: z.string().nullable(),
    commit: z.string().nullable(),
    pr: z.int().min(1).nullable(),
  }),
]);
export type BuildSource = z.infer<typeof buildSource>;

/** Everything a host needs to run one attempt of a build, except the secrets. Times in ms. */
export const buildSpec = z.object({
  build_id: z.string(),
  attempt: z.int().min(1),
  /** The tenant: caches on the host are never shared between accounts. */
  account_id: z.int().min(0),
  rental_id: z.string(),
  slot_id: z.string(),
  script: z.string(),
  xcode: z.string().nullable(),
  timeout_ms: z.int().min(1),
  clean_tree: z.boolean(),
  source: buildSource,
  /** Builds with the same key use the same work folder of a Mac; other builds use others. */
  source_key: z.string().optional(),
  labels: z.object({
    repo: z.string().nullable(),
    ref: z.string().nullable(),
    commit: z.string().nullable(),
    pr: z.int().nullable(),
  }),
  /** Bytes of the log that are kept at the head and at the tail; bytes between them are only counted. */
  log: z.object({ head_bytes: z.int().min(0), tail_bytes: z.int().min(0) }),
  /** Only for hosts of link version 2, which report the time of the last output after such a pause in it. */
  silence_ms: z.int().min(1).optional(),
  /** Milliseconds between reports of output that does not reach the log. */
  output_report_ms: z.int().min(1).optional(),
  /** Milliseconds between SIGTERM and SIGKILL. */
  kill_grace_ms: z.int().min(0),
  artifacts: z.object({ max_files: z.int().min(0), max_bytes: z.int().min(0) }),
});
export type BuildSpec = z.infer<typeof buildSpec>;

/**
 * A secret of the account, masked in all output of the build. `value` is that of an environment variable; with
 * `encoding` it is the base64 of a file, whose path the variable has.
 */
export const buildSecret = z.object({
  name: z.string(),
  value: z.string(),
  encoding: z.literal('base64').optional(),
});
export type BuildSecret = z.infer<typeof buildSecret>;

export const secretBytes = ({ value, encoding }: BuildSecret): Buffer => Buffer.from(value, encoding ?? 'utf8');

export const buildStep = z.enum(['prepare', 'source', 'xcode', 'script', 'artifacts', 'platform']);
export type BuildStep = z.infer<typeof buildStep>;

/** The steps that an attempt has entered, in order, by the host's clock. */
export const stepTimes = () => firstOf(z.object({ step: buildStep, at: time() }), 10);
export type StepTime = z.infer<ReturnType<typeof stepTimes>>[number];

/** Why the host stopped a build before its script exited. */
export const stopReason = z.enum(['cancelled_by_user', 'timeout', 'rental_ended', 'superseded']);
export type StopReason = z.infer<typeof stopReason>;

export const artifactReport = z.object({
  /** Path relative to CIDERMILL_ARTIFACTS, with `/`, masked. */
  name: artifactName(),
  bytes: z.int().min(0),
  sha256: sha256Hex,
  /** Its owner may execute the file. Default: false. */
  executable: z.boolean().optional(),
});
export type ArtifactReport = z.infer<typeof artifactReport>;

/** The first line of a commit's message and its author's name. Masked. */
export const commitAbout = z.object({ title: displayText(200), author: displayText(100) });
export type CommitAbout = z.infer<typeof commitAbout>;

/** The result of an attempt, reported once. All text is masked. */
export const buildResult = z.object({
  /** exited: the script exited. stopped: see stop_reason. failed: it could not be run to its end. */
  outcome: z.enum(['exited', 'stopped', 'failed']),
  /** 128 + n for a signal n; null when no process has exited. */
  exit_code: z.int().nullable(),
  stop_reason: stopReason.nullable(),
  step: buildStep,
  /** One of the API's reason codes; null for a plain exit, or an unknown code. */
  reason_code: code(),
  fault: z.enum(['customer', 'platform', 'unknown']).nullable(),
  summary: displayText(600).nullable(),
  /** The same as a message; missing from older hosts. */
  summary_message: messageBeside(600),
  /** Absolute path of the work folder as the build saw it, used to find places in its log. */
  work_folder: hostPath().optional(),
  /** The checked out commit; null before that, and for an upload. */
  commit_sha: commitId.nullable().optional(),
  /** Missing from older hosts. */
  commit_about: commitAbout.nullable().optional(),
  steps: stepTimes().optional(),
  script_started_at: time().nullable(),
  ended_at: time(),
  log: z.object({
    bytes: z.int().min(0),
    sha256: sha256Hex,
    /** Bytes omitted between head and tail. */
    omitted_bytes: z.int().min(0),
    /** The wrapper died, so the last output may be missing. */
    possibly_truncated: z.boolean(),
    /** The host no longer has the whole log and sends no more of it; length and hash are meaningless. */
    lost: z.boolean().optional(),
  }),
  /** Names come from the build: an invalid one must not prevent the host from reporting the end. */
  artifacts: firstOf(artifactReport, 10_000),
  /** Sentences for the user, e.g. that an artifact contains the value of a secret (by the secret's name). */
  warnings: warningTexts(),
  /** The same as messages; missing from older hosts. */
  warning_messages: warningMessages().optional(),
});
export type BuildResult = z.infer<typeof buildResult>;

type Warned = Pick<BuildResult, 'warnings' | 'warning_messages'>;

/** The end of a list of texts that was too long (`warningTexts`). */
const MORE = /^(\d{1,9}) more warnings\.$/;

/** Of an older host, the texts. */
export const warningsOf = (result: Warned): Message[] =>
  result.warning_messages ??
  result.warnings.map((text) => {
    const count = MORE.exec(text)?.[1];
    return count === undefined ? uncoded(text) : buildWarning('more_warnings', { count: Number(count) });
  });

/** The fields of a result for its warnings. */
export const warningFields = (warnings: readonly Message[]): Warned => ({
  warnings: warnings.map(({ text }) => text),
  warning_messages: [...warnings],
});

/** The fields of a result for the summary of its failure. */
export const summaryFields = (summary: Message | null): Pick<BuildResult, 'summary' | 'summary_message'> => ({
  summary: summary?.text ?? null,
  summary_message: summary && { ...summary },
});
