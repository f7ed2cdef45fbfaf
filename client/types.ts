// Generated, do not edit: `npm run generate` makes this file from the reference that the service answers with.
// Money is integer won, VAT included; times are ISO 8601 text in UTC; names that end in _s are seconds.

/** Answer of `GET /errors`. */
export interface ErrorPage {
  errors: RecordedError[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/** A failed request of the account, or a failed build. */
export interface RecordedError {
  id: number;
  kind: 'api' | 'build';
  at: string;
  /** Of the error catalog; of a failed build its `reason_code`. */
  code: string;
  http_status: number | null;
  /**
   * Who has to act; values may be added.
   * - `client`: the sender of the request
   * - `platform`: the service
   * - `payment`: a person, by paying
   * - `capacity`: no Mac was free
   * - `customer`: the code or the script of the build
   * - `unknown`: the log of the build does not tell
   */
  fault: 'client' | 'platform' | 'payment' | 'capacity' | 'customer' | 'unknown' | (string & {});
  message: string;
  /** Of a failed build: `message` as a code with values. */
  failure_message: Message | null;
  request_id: string | null;
  method: string | null;
  path: string | null;
  key_name: string | null;
  build_id: string | null;
  /** Of a failed build. */
  reason_code: string | null;
}

/** A sentence for people; show `text` for an unknown code. More codes may be added. */
export interface Message {
  /** Identifies the sentence; null: only the text is known. */
  code: string | null;
  /** The values in the sentence, by name. */
  params: Record<string, string | number>;
  /** The sentence in English. */
  text: string;
}

/** Query of `GET /errors`. */
export interface ErrorFilter {
  /** Only errors that this side has to fix. */
  fault?: 'client' | 'platform' | 'payment' | 'capacity' | 'customer' | 'unknown';
  code?: string;
  kind?: 'api' | 'build';
  /** Since: ISO time or epoch ms. */
  since?: string | number;
  /** Only what the calling key itself caused. */
  key?: 'self';
  /** 1 to 200. */
  limit?: number;
  /** `next_before` of the page before. */
  before?: string;
}

/** The account, and the key of this request. Answer of `GET /me` and `GET /account`. */
export interface Me {
  account: {
    id: number;
    name: string | null;
    slug: string | null;
    status: string;
    org_id: string;
    /** True: the account cannot order. */
    payments_blocked: boolean;
  };
  /** Null only for a person in the console. */
  key: {
    id: string;
    name: string;
    prefix: string;
    levels: KeyLevel[];
    expires_at: string | null;
    /** Allowed address ranges; empty: any. */
    cidrs: string[];
  } | null;
  /** The workspace that the key belongs to. */
  workspace_id: string;
  /** As `agent:read`, and so on. */
  scopes: string[];
  limits: {
    requests_per_minute: number;
    pending_orders: number;
    concurrent_builds: number;
    queued_builds: number;
    /** Files of uploads. */
    contents_bytes: number;
    /** Artifacts of builds. */
    artifacts_bytes: number;
    /** Logs of builds. */
    logs_bytes: number;
    /** What the account writes into the database. */
    records_bytes: number;
    /** How long logs are kept. */
    logs_kept_ms: number;
    /** How long builds and events are kept. */
    builds_kept_ms: number;
    /** Open long polls and streams. */
    parked_requests: number;
    /** Upload requests at the same time. */
    concurrent_uploads: number;
    /** Requests of all keys together per minute. */
    account_requests_per_minute: number;
  };
  usage: AccountUsage;
  /** Requests that remain now. */
  remaining_requests: number;
  /** When the full quota is available again. */
  remaining_resets_at: string;
}

/**
 * No level includes another.
 * - `read`: read the account, its Macs, builds and logs
 * - `build`: upload sources, submit and cancel builds
 * - `manage`: order and change Macs, manage secrets and webhooks
 */
export type KeyLevel = 'read' | 'build' | 'manage';

/** What the account uses now. */
export interface AccountUsage {
  /** Files of uploads; equal files count once. */
  contents_bytes: number;
  artifacts_bytes: number;
  /** Of builds that have ended. */
  logs_bytes: number;
  /** In the database: builds, events, secrets and others. */
  records_bytes: number;
  /** Slots with a Mac, or held by an unpaid order. */
  held_slots: number;
  parked_requests: number;
  concurrent_uploads: number;
}

/** Exactly one of all and ids. Body of `POST /rentals/reset`. */
export interface ResetSeveralRequest {
  /** True: every Mac of the account. */
  all?: boolean;
  ids?: string[];
  /** Keep machine and caches; default: a new one. */
  keep_cache?: boolean;
  when?: When;
}

/**
 * What to do with a build that runs on the Mac.
 * - `after_build`: wait for it to end
 * - `now`: cancel it
 */
export type When = 'after_build' | 'now';

export interface OperationResults {
  results: OperationResult[];
}

/** The result of a requested change of one of several Macs. */
export interface OperationResult {
  rental_id: string;
  rental_name: string;
  result: 'accepted' | 'rejected';
  /** Absent when there is nothing to do. */
  job_id?: string;
  /** `unchanged`: it has this setup already, or this name. */
  status?: 'unchanged';
  /** Only when rejected: the error code. */
  reason?: string;
  message?: string;
  retry_after_s?: number | null;
  /** Details of the error, such as `options`. */
  detail?: Record<string, unknown>;
}

/** How a Mac is to be reset. Body of `POST /rentals/{rental_id}/reset`. */
export interface ResetRequest {
  /** Keep machine and caches; default: a new one. */
  keep_cache?: boolean;
  when?: When;
}

/** An accepted change of one Mac; a refusal is an error. */
export interface AcceptedOperation {
  rental_id: string;
  result: 'accepted';
  rental_name: string;
  /** Absent when there is nothing to do. */
  job_id?: string;
  /** `unchanged`: it has this setup already, or this name. */
  status?: 'unchanged';
}

/** Exactly one of all and ids. Body of `POST /rentals/xcode`. */
export interface XcodeOfSeveralRequest {
  version: string;
  /** True: every Mac of the account. */
  all?: boolean;
  ids?: string[];
  when?: When;
}

/** Body of `POST /rentals/{rental_id}/xcode`. */
export interface XcodeRequest {
  version: string;
  when?: When;
}

/**
 * Absent fields stay unchanged. A name alone is changed at once, in any state of the Mac. Body of
 * `PATCH /rentals/{rental_id}`.
 */
export interface SetupChange {
  /**
   * One line of 1 to 40 characters, which does not begin like an id. Space around it is removed. Unique
   * among the Macs and unpaid orders of the account, whatever its case.
   */
  name?: string;
  xcode?: string;
  runtimes?: string[];
  tools?: string[];
  /** Keep machine and caches; default: a new one. */
  keep_cache?: boolean;
  when?: When;
}

/** A rented Mac. */
export interface AgentMac {
  rental_id: string;
  /** What the account calls it. */
  name: string;
  tier: string;
  /** The version that is selected. */
  xcode: string | null;
  labels: Record<string, string>;
  state: MacState;
  /** Of a change, as the host reported it; null: none is under way. */
  progress: MacProgress | null;
  problem: MacProblem | null;
  starts_at: string | null;
  /** Provisional while preparing; null: no end. Bought time starts when the Mac is ready. */
  ends_at: string | null;
  /** 2147483647 when it has no end. */
  remaining_s: number;
  /** Bought time; null: granted by the operator. No order extends a Mac that was granted. */
  hours: number | null;
  /** Extensions included. */
  amount_won: number;
  can_extend: boolean;
  max_extend_days: number;
  quote_hint: QuoteHint;
}

/**
 * - `reserved`: its time has not begun
 * - `preparing`: it is being created or recreated; its time does not run until it is ready
 * - `ready`: it waits for builds
 * - `building`: it runs a build
 * - `resetting`: it is being recreated, or its work folder is being emptied
 * - `updating`: what is installed on it is being changed
 */
export type MacState = 'reserved' | 'preparing' | 'ready' | 'building' | 'resetting' | 'updating';

export interface MacProgress {
  /**
   * `image`, `create`, `xcode`, `runtimes`, `tools`, `empty_work`, `remove` or `done`; more may be
   * added.
   */
  step: string;
  /** Of the whole change. */
  percent: number;
  /** In the step `image`. */
  image: ImageProgress | null;
}

/** The fetch of the image that a Mac is made from. */
export interface ImageProgress {
  percent: number;
  /** Transferred so far, compressed; null: unknown. */
  bytes: number | null;
  total_bytes: number | null;
}

/** Why its host could not make the Mac. The host keeps trying; there is nothing to do but wait. */
export interface MacProblem {
  /**
   * - `disk_full`: The disk of the host is full.
   * - `not_writable`: The host cannot write to its data folder.
   * - `image_not_found`: The registry does not have the image of the Mac.
   * - `unauthorized`: The registry refuses the host access to the image of the Mac.
   * - `not_installed`: The image or the host lacks software that the Mac needs.
   * - `vm_tool_missing`: The program for virtual machines is missing on the host.
   * - `vm_tool_incompatible`: The program for virtual machines on the host has a version that is not
   *   supported.
   * - `vm_tool_unresponsive`: The program for virtual machines on the host does not answer.
   * - `vm_limit_leaked`: macOS refuses to start another virtual machine on the host.
   * - `vm_no_address`: The virtual machine gets no address on the host.
   * - `keychain_locked`: The keychain of the host is locked.
   * - `beyond_slots`: The host is configured for fewer Macs.
   * - `failed`: The host could not create the Mac.
   */
  code:
    | 'disk_full'
    | 'not_writable'
    | 'image_not_found'
    | 'unauthorized'
    | 'not_installed'
    | 'vm_tool_missing'
    | 'vm_tool_incompatible'
    | 'vm_tool_unresponsive'
    | 'vm_limit_leaked'
    | 'vm_no_address'
    | 'keychain_locked'
    | 'beyond_slots'
    | 'failed'
    | (string & {});
  /** The values in the sentence, by name. */
  params: Record<string, string | number>;
  /** The sentence of the code, in English. */
  text: string;
  since: string;
}

/** What one more day costs. */
export interface QuoteHint {
  days: 1;
  amount_won: number;
}

/** A rented Mac and what it builds. */
export interface RentedMac extends AgentMac {
  current_build: ListedBuild | null;
  /** Waiting builds pinned to it. */
  queued_builds: number;
}

export interface Build {
  id: string;
  status: BuildStatus;
  /** The same as `status`. */
  state: BuildStatus;
  /** `owner/name` on the code host. */
  repo: string | null;
  repo_url: string | null;
  ref: string | null;
  pr: number | null;
  /** As requested; may be abbreviated. */
  commit: string | null;
  /** The commit that was checked out. Null before that, and for an upload. */
  commit_sha: string | null;
  /**
   * The first line of the message of `commit_sha`. Null before that, for an upload, and from an older
   * host.
   */
  commit_title: string | null;
  /** The name of its author. */
  commit_author: string | null;
  upload_id: string | null;
  project: string | null;
  xcode: string | null;
  labels: Record<string, string>;
  /** The Mac that it runs or ran on. */
  rental_public_id: string | null;
  /** The name of that Mac; after its rental, the last one. */
  rental_name: string | null;
  /** The Mac that it is pinned to. */
  pinned_rental_id: string | null;
  pinned_rental_name: string | null;
  /** Minutes. */
  timeout_min: number;
  /** 1 goes before 0. */
  priority: number;
  /** Starts in an empty work folder. */
  clean_tree: boolean;
  /** Waits even without a Mac. */
  queue_until_rental: boolean;
  /** The build that it repeats. */
  rerun_of: string | null;
  /** Number of the current attempt, from 1. */
  attempt: number;
  /** 128 + n after signal n. */
  exit_code: number | null;
  /** Null until it has ended. */
  end_reason: EndReason | null;
  /** Null unless it is queued. */
  wait_reason: WaitReason | null;
  /** 1 starts next. Null unless it is queued. */
  queue_position: number | null;
  /** Older queued builds, of any priority. 0 unless it is queued. */
  fifo_position: number;
  /** Estimated time until it starts. `estimate_basis` names the basis. */
  estimated_wait_s: number | null;
  /** The same as a time. */
  estimated_start_at: string | null;
  /** Null without an estimate. */
  estimate_basis: EstimateBasis | null;
  /** When its cancellation was requested. */
  stop_requested_at: string | null;
  timings: {
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
    queue_s: number;
    /** Whole seconds while it runs, exact once it has ended. */
    run_s: number | null;
    /**
     * Median of the latest builds of its project and script. For a running build; only builds that ended
     * by themselves count. Null without any.
     */
    estimated_end_at: string | null;
    /** Since its last output. Null unless it runs. */
    silent_s: number | null;
  };
  /** When each step began. By name, in the current attempt. */
  steps: Record<string, string>;
  /** Warnings that do not prevent the build. */
  warnings: string[];
  /** `warnings` as codes with values. */
  warning_messages: Message[];
  failure: BuildFailure | null;
  log_deleted_at: string | null;
  /** The last commit status sent. If a later one could not be sent, also why. */
  commit_status: {
    state: 'pending' | 'success' | 'failure' | 'error' | null;
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
  } | null;
  script: string;
}

/**
 * Status of a build.
 * - `queued`: waits for a Mac
 * - `running`: it runs on a Mac, from fetching its source to storing its artifacts
 * - `succeeded`: its script ended with exit code 0
 * - `failed`: another exit code, a timeout or a platform failure; see `failure`
 * - `expired`: it could not start
 * - `cancelled`: it was canceled, or its Mac’s rental ended
 */
export type BuildStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

/**
 * Why a build ended; values may be added.
 * - `succeeded`: exit code 0
 * - `exit_nonzero`: another exit code; 128 + n after signal n
 * - `timeout`: it ran for `timeout_min` minutes
 * - `platform_error`: the service or the host failed, not the build
 * - `cancelled_by_user`: it was canceled by request
 * - `rental_ended`: the rental of its Mac ended, and no other Mac could take it
 * - `queue_timeout`: it waited too long for a Mac
 * - `pinned_mac_ended`: the rental of the only Mac that it may run on ended
 * - `no_mac_left`: the rental of the account’s last Mac ended
 */
export type EndReason =
  | 'succeeded'
  | 'exit_nonzero'
  | 'timeout'
  | 'platform_error'
  | 'cancelled_by_user'
  | 'rental_ended'
  | 'queue_timeout'
  | 'pinned_mac_ended'
  | 'no_mac_left'
  | (string & {});

/**
 * Why a queued build does not run yet; values may be added.
 * - `mac_busy`: every Mac that could run it is busy
 * - `mac_preparing`: a Mac is being prepared
 * - `mac_in_maintenance`: a Mac is being reset or set up
 * - `pinned_mac_busy`: the Mac that it is pinned to is busy
 * - `xcode_unavailable`: no Mac has its Xcode and labels
 * - `waiting_for_rental`: there is no Mac, and it was submitted to wait for one
 * - `concurrency_limit`: the account has reached its limit of running builds
 */
export type WaitReason =
  | 'mac_busy'
  | 'mac_preparing'
  | 'mac_in_maintenance'
  | 'pinned_mac_busy'
  | 'xcode_unavailable'
  | 'waiting_for_rental'
  | 'concurrency_limit'
  | (string & {});

/**
 * The basis of estimates.
 * - `history`: how long earlier builds of the same project and script took; time limits for those
 *   without any
 * - `timeout_budget`: the timeouts of the builds ahead: upper bounds, not expectations
 */
export type EstimateBasis = 'history' | 'timeout_budget';

/** Why a build failed, according to its log. */
export interface BuildFailure {
  /** The same as `fault`. */
  category: FailureFault;
  fault: FailureFault;
  step: BuildStep;
  /** The cause, in the words of the log. A sentence or two; not a text of the service. */
  summary: string;
  /** `summary` as a code with values, without the location. */
  summary_message: Message;
  log_url: string;
  /** Such as `compile_error`; more may come. */
  reason_code: string;
  /** What to do next. */
  suggestion: string;
  /** `suggestion` as a code. */
  suggestion_message: Message;
  /** First and last line that show the cause. Counted from 1, both inclusive. */
  log_excerpt_lines: number[] | null;
  /** Where in the source the cause is. */
  location: {
    /** Relative to the work folder. */
    file: string;
    line: number;
    message: string;
  } | null;
}

/**
 * Who can fix a failed build; values may be added.
 * - `customer`: the code, the script or their dependencies
 * - `platform`: the service; the same build may succeed
 * - `unknown`: not known from the log
 */
export type FailureFault = 'customer' | 'platform' | 'unknown' | (string & {});

/**
 * The step in which a build failed; values may be added.
 * - `prepare`: preparing the work folder and the environment
 * - `source`: fetching the source
 * - `xcode`: selecting Xcode
 * - `script`: the script itself
 * - `artifacts`: storing the artifacts
 * - `platform`: outside the build: its host, or the service
 */
export type BuildStep = 'prepare' | 'source' | 'xcode' | 'script' | 'artifacts' | 'platform' | (string & {});

/** As Build, with the beginning of its script. */
export interface ListedBuild extends Omit<Build, 'script'> {
  /** The first 500 characters of its script. */
  script_excerpt: string;
  /** Size of its script; `GET /builds/{build_id}` has the whole. */
  script_bytes: number;
}

/** A rented Mac with what is installed on it. Answer of `GET /rentals/{rental_id}`. */
export interface RentalDetail extends RentedMac {
  /** As `state`, but null while reserved. */
  mac_state: 'preparing' | 'ready' | 'building' | 'resetting' | 'updating' | null;
  setup: MacSetup;
  /** What may be selected for this Mac. */
  setup_options: {
    xcode: string[];
    runtimes: string[];
    tools: string[];
  };
  /** Its last job. */
  op: Job | null;
  /** Limits of changes that recreate it. */
  resets: {
    /** New VMs left within 24 hours. */
    left: number;
    /** When the next one is allowed; null: now. */
    next_at: string | null;
  };
}

/** What is installed and selected. */
export interface MacSetup {
  xcode: string | null;
  runtimes: string[];
  tools: string[];
}

/** A change of a rented Mac, carried out asynchronously. Answer of `GET /jobs/{job_id}`. */
export interface Job {
  id: string;
  /** The same as `id`. */
  job_id: string;
  rental_id: string;
  /** What the account calls that Mac. */
  rental_name: string;
  /**
   * - `provision`: the Mac is created for its rental
   * - `reset`: it is recreated, or its work folder is emptied
   * - `xcode`: another Xcode is selected
   * - `setup`: Xcode, simulator runtimes or tools are changed
   */
  kind: 'provision' | 'reset' | 'xcode' | 'setup';
  /**
   * - `queued`: waits for its turn or for a running build to end
   * - `running`: the host is working on it
   * - `done`: the Mac has the requested setup
   * - `failed`: `error` and `message` say why
   */
  status: 'queued' | 'running' | 'done' | 'failed';
  /** Null if no build ran. */
  when: When | null;
  /** Such as `reset_failed`. */
  error: string | null;
  message: string | null;
  /** `message` as a code with values. */
  reason: Message | null;
  progress: MacProgress | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** Body of `POST /rentals/batch`. */
export interface BatchRequest {
  action: 'xcode' | 'reset';
  rental_ids: string[];
  xcode?: string;
  /** Keep machine and caches; default: a new one. */
  keep_cache?: boolean;
  when?: When;
}

/** Answer of `GET /rentals/{rental_id}/history`. */
export interface MacHistory {
  entries: MacStateEntry[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

export interface MacStateEntry {
  at: string;
  /**
   * - `reserved`: its time has not begun
   * - `preparing`: it is being created or recreated
   * - `ready`: it waits for builds
   * - `building`: it runs a build
   * - `resetting`: it is being recreated, or its work folder is being emptied
   * - `updating`: what is installed on it is being changed
   * - `ended`: its rental has ended
   */
  state: 'reserved' | 'preparing' | 'ready' | 'building' | 'resetting' | 'updating' | 'ended' | (string & {});
  /**
   * - `rented`: the rental was created
   * - `begun`: the time of its reservation has come
   * - `prepared`: the host has reported it ready
   * - `build_started`: a build was assigned to it
   * - `build_ended`: the build has ended
   * - `job_started`: the job `job_id` changes it
   * - `job_done`: the job has changed it
   * - `job_failed`: the job has failed
   * - `lost`: the host no longer has it and recreates it
   * - `host_lost`: the host is disconnected
   * - `host_removed`: the host was removed
   * - `moved`: it is created on another host
   * - `repair`: a build could not be prepared on it, so the host repairs it
   * - `unconfirmed`: the end of its build is not confirmed by the host yet
   * - `rental_ended`: the rental has ended
   */
  cause:
    | 'rented'
    | 'begun'
    | 'prepared'
    | 'build_started'
    | 'build_ended'
    | 'job_started'
    | 'job_done'
    | 'job_failed'
    | 'lost'
    | 'host_lost'
    | 'host_removed'
    | 'moved'
    | 'repair'
    | 'unconfirmed'
    | 'rental_ended'
    | (string & {});
  job_id: string | null;
}

/** Query of `GET /rentals/{rental_id}/history`. */
export interface GetRentalHistoryQuery {
  /** 1 to 200. */
  limit?: number;
  /** `next_before` of the page before. */
  before?: string;
}

/** The files of a folder with their hashes. Body of `POST /uploads`. */
export interface UploadManifest {
  /** 1 to 64 letters, digits, underscores, dots and hyphens; not `.` or `..`. */
  project: string;
  /** Complete upload of the same paths; `files` is what differs, at most 100. */
  base?: string;
  files: ManifestFile[];
}

export interface ManifestFile {
  /** Relative, parts separated by `/`, NFC. */
  path: string;
  /** SHA-256 of the content, 64 lower-case hexadecimal digits. */
  sha256: string;
  size: number;
  /** 420 (rw-r--r--, the default) or 493 (rwxr-xr-x). */
  mode?: 420 | 493;
}

/** An upload, and its contents that the service does not have. Answer of `POST /uploads`. */
export interface CreatedUpload {
  id: string;
  project: string;
  /** How many. */
  files: number;
  total_bytes: number;
  /** SHA-256 of missing contents; one page. */
  missing: string[];
  /** `missing_after` of the next page; null on the last. */
  missing_next: string | null;
  missing_bytes: number;
}

/** A folder uploaded as one archive. Answer of `POST /uploads/tar`. */
export interface TarUpload {
  /** Same as `id`. */
  upload_id: string;
  id: string;
  project: string;
  /** How many. */
  files: number;
  total_bytes: number;
  ready: boolean;
}

/** Query of `POST /uploads/tar`. */
export interface UploadTarQuery {
  project?: string;
}

/** Answer of `POST /uploads/{id}/blobs`. */
export interface StoredBlobs {
  stored: number;
}

/** Progress of an upload. Answer of `GET /uploads/{id}`. */
export interface UploadStatus {
  id: string;
  project: string;
  /** How many. */
  files: number;
  total_bytes: number;
  /** SHA-256 of missing contents; one page. */
  missing: string[];
  /** `missing_after` of the next page; null on the last. */
  missing_next: string | null;
  /** Nothing is missing. */
  ready: boolean;
}

/** Query of `GET /uploads/{id}`. */
export interface GetUploadQuery {
  /** `missing_next` of the page before. */
  missing_after?: string;
}

/** The account’s running and waiting builds. Answer of `GET /queue`. */
export interface AgentQueue {
  running_count: number;
  queued_count: number;
  estimate_basis: EstimateBasis;
  running: ListedBuild[];
  /** Next to start first. Not all if there are many. */
  queued: ListedBuild[];
}

/** Query of `GET /queue`. */
export interface GetQueueQuery {
  /** Of each list. 1 to 200. */
  limit?: number;
}

/** A script and exactly one source: upload_id, repo or repo_url. Body of `POST /builds`. */
export interface BuildRequest {
  /** Bash script; at most 262144 bytes. */
  script: string;
  /** Id of an upload that is ready. */
  upload_id?: string;
  /** Files of the upload with other contents. */
  changes?: FileChange[];
  /** `owner/name` on the code host. */
  repo?: string;
  repo_url?: string;
  /** Branch or tag; beside `upload_id` a label. */
  ref?: string;
  /** 7 to 40 hexadecimal digits; beside `upload_id` a label. */
  commit?: string;
  /** Number of a pull request. */
  pr?: number;
  /** Only on a Mac with this version selected. */
  xcode?: string;
  /** Only on a Mac with all of these labels. */
  labels?: Record<string, string>;
  /** Only on this Mac. */
  rental_id?: string;
  /** Minutes; 60 by default. 1 to 360. */
  timeout_min?: number;
  /** 1 goes before 0. */
  priority?: 0 | 1;
  /** Starts in an empty work folder. */
  clean_tree?: boolean;
  /** Wait even without a Mac. */
  queue_until_rental?: boolean;
  /** Public https; receives stall and end events. */
  notify_url?: string;
}

export interface FileChange {
  path: string;
  content_base64: string;
  mode?: 420 | 493;
}

/** A build that was just submitted. Answer of `POST /builds` and `POST /builds/{build_id}/rerun`. */
export interface CreatedBuild extends Build {
  /** Signs requests to `notify_url`; shown once. */
  notify?: {
    url: string;
    secret: string;
  };
}

/** Answer of `GET /builds`. */
export interface BuildPage {
  builds: ListedBuild[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/** Query of `GET /builds`. */
export interface BuildFilter {
  /** active: queued or running. */
  status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled' | 'active';
  /** The same as `status`. */
  state?: 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled' | 'active';
  /** Exact `repo` or `repo_url`. */
  repo?: string;
  pr?: number;
  /** On this Mac, or pinned to it. */
  rental_id?: string;
  /** Created since: ISO time or epoch ms. */
  from?: string | number;
  /** Created before: ISO time or epoch ms. */
  to?: string | number;
  /** In id, repo, repo_url, project, ref, commit_title, script. */
  q?: string;
  /** `next_before` of the page before. */
  before?: string;
  /** 1 to 200. */
  limit?: number;
}

/**
 * Why a build failed and what to do about it, in one answer of bounded size. Answer of `GET
 * /builds/{build_id}/failure`.
 */
export interface FailureReport {
  build_id: string;
  status: BuildStatus;
  /** 128 + n after signal n. */
  exit_code: number | null;
  /** Null until it has ended. */
  end_reason: EndReason | null;
  /** Null unless it has failed. */
  failure: BuildFailure | null;
  /** What to do next, in a sentence. */
  advice: string;
  /** `advice` as a code with values. */
  advice_message: Message;
  next: NextRequest[];
  /**
   * Lines of the log that show the cause. By default at most 40, of at most 500 characters each, without
   * escape sequences and invisible characters.
   */
  lines: LogLine[];
  /** The last lines of the log, without `lines`. By default at most 15. */
  tail: LogLine[];
  /** Lines of the log so far. */
  total_lines: number;
  /** Newest first. By default at most 20. */
  artifacts: {
    id: string;
    path: string;
    bytes: number;
    sha256: string | null;
  }[];
  /** True: there are more artifacts than these. */
  more_artifacts: boolean;
}

/** A request that can be sent unchanged. */
export interface NextRequest {
  /** What it is for, in a word or two. */
  action: string;
  method: string;
  /** From the site’s root. */
  path: string;
  body?: Record<string, unknown>;
}

/** One line of a log. */
export interface LogLine {
  /** In the whole log, from 1. */
  n: number;
  text: string;
  /** The line is longer than `text`. */
  cut?: true;
  /** The line may become longer. The build still runs and has not ended it. */
  open?: true;
  /** Written by the service; all other lines are output of the build. */
  source?: 'service';
  /** When its beginning arrived. Only with `timestamps`; null if unknown. */
  at?: string | null;
}

export interface BuildBrief {
  id: string;
  status: BuildStatus;
  /** Changes with status, attempt, step or stall; send it as `since`. */
  version: string;
  /** Null unless it runs. */
  phase: BuildStep | null;
  silent_s: number | null;
  estimated_end_at: string | null;
  /** Of its log: text of the build. */
  last_line: string | null;
}

/** Query of `GET /builds/{build_id}/wait`. */
export interface WaitForBuildQuery {
  /** 1 to 60. */
  timeout?: number;
  /** The last `version`; 0 answers at once. */
  since?: string;
  /** brief: below 300 bytes. */
  view?: 'full' | 'brief';
}

/** Offsets count bytes of the log. */
export interface LogSegment {
  build_id: string;
  offset: number;
  next_offset: number;
  data: string;
  /** The build has ended and nothing follows. */
  eof: boolean;
  status: BuildStatus;
}

/** Lines of a build’s log by their numbers. */
export interface LogLines {
  from_line: number;
  lines: LogLine[];
  /** Lines of the log so far. */
  total_lines: number;
  /** `from_line` of the next page. Null when there is none so far. */
  next_from_line: number | null;
}

/** Lines of a build’s log that contain a text. */
export interface LogMatches {
  matches: LogLine[];
  /** Matching lines in the whole log. */
  total_matches: number;
  /** Matches before `from_line`. */
  matches_before: number;
  /** `from_line` that goes on with the next match; null when there is none. */
  next_from_line: number | null;
}

/** Query of `GET /builds/{build_id}/log`. */
export interface GetBuildLogQuery {
  /** Only this many last lines, as text. 0 to 10,000. */
  tail?: number;
  /** First byte of the JSON segment or text. */
  offset?: number;
  format?: 'text';
  /** Seconds to wait for more; as JSON at most 60. As a text stream at most 3600. 0 to 3,600. */
  wait?: number;
  /** JSON of lines, or matches, from this on. */
  from_line?: number;
  /** Default: 1000; with `search` at most 1000. Fewer when they are long. 1 to 10,000. */
  lines?: number;
  /** JSON of lines with this text, in any case. The text is literal; colors are ignored. */
  search?: string;
  /** Without colors and other escape sequences. */
  ansi?: 'strip';
  /** Times of lines; not with `offset`. */
  timestamps?: 'true';
}

/** Answer of `GET /secrets`. */
export interface SecretList {
  secrets: ListedSecret[];
}

/** A build secret; its value is never shown. */
export interface ListedSecret {
  name: string;
  created_at: string;
  updated_at: string;
  /**
   * False: set the secret again or remove it. The service lost the key that decrypts it; builds fail
   * until then.
   */
  readable: boolean;
  /** False: too short to be masked, or blank; null: not readable. */
  masked: boolean | null;
  /** file: the variable has its path. */
  kind: 'variable' | 'file' | null;
}

/** A build secret that was just stored. Answer of `PUT /secrets/{name}`. */
export interface Secret extends ListedSecret {
  warning: string | null;
  /** `warning` as a code with values. */
  warning_message: Message | null;
}

/** Answer of `GET /catalog`. */
export interface Catalog {
  tiers: CatalogTier[];
}

/** A kind of Mac, its price and its availability. */
export interface CatalogTier {
  tier: string;
  name: string;
  /** For one Mac and period. */
  price_won: number;
  period_hours: 24;
  spec: {
    chip: string;
    cpu_cores: number;
    memory_gb: number;
    disk_gb: number;
    macos: string;
  };
  xcode_versions: string[];
  default_xcode: string | null;
  /** Simulator runtimes. */
  runtimes: string[];
  tools: string[];
  /** Macs that this account can order now. */
  available_now: number;
  sales_open: boolean;
  /** The longest time that a Mac can be rented for, extensions included. */
  max_days: number;
  /** The account’s entries. */
  waitlist: WaitlistEntry[];
}

/** A waitlist entry for Macs of a tier. Answer of `POST /waitlist` and `DELETE /waitlist/{id}`. */
export interface WaitlistEntry {
  id: string;
  tier: string;
  /** Macs. */
  units: number;
  /**
   * - `waiting`: too few Macs are free
   * - `notified`: the account was notified that it can order
   * - `cancelled`: it is no longer waiting
   */
  status: 'waiting' | 'notified' | 'cancelled';
  /** Among the waiting entries of its tier. Null unless it is waiting. */
  position: number | null;
  created_at: string;
  notified_at: string | null;
}

/** Answer of `GET /pool`. */
export interface Pool {
  tiers: PoolTier[];
  /** Builds of the account. */
  queue: {
    running_count: number;
    queued_count: number;
  };
}

/** Macs of a tier, of all accounts. */
export interface PoolTier {
  tier: string;
  total: number;
  /** Free for this account, whether it may order them now or not. */
  free: number;
  /** Reserved for later, or held by an unpaid order. */
  reserved: number;
  in_use: number;
  /** Macs requested on the waitlist. */
  waiting_units: number;
}

/** Body of `POST /quote` and `POST /orders`. */
export interface OrderRequest {
  tier: string;
  /** A multiple of 24, at most 24 times `max_days` of the tier. */
  hours: number;
  /** Default: 1. 1 to 100. */
  units?: number;
  /** As many as `units`; default: Mac 1, Mac 2, and so on. Held until the order ends unpaid. */
  names?: string[];
  /** `now`, the default, or an ISO time. */
  start?: string;
  setup?: {
    xcode?: string;
  };
}

/** Holds no Macs. Answer of `POST /quote`. */
export interface Quote {
  tier: string;
  hours: number;
  units: number;
  start: string | null;
  /** One Mac for 24 hours. */
  unit_price_won: number;
  amount_won: number;
  breakdown: QuoteLine[];
  /** Macs that this account can order now. */
  available_now: number;
  sales_open: boolean;
}

export interface QuoteLine {
  /** `24h`. */
  period: string;
  count: number;
  /** Of the whole line. The lines add up to the amount of the quote. */
  amount_won: number;
}

/** Only a person who is signed in can consent and pay, at `pay_url`. */
export interface Order {
  order_no: string;
  /**
   * - `rental`: new Macs
   * - `extension`: more time for Macs
   */
  kind: 'rental' | 'extension';
  status: OrderStatus;
  /** For a person of the account. Valid until `pay_expires_at`. */
  pay_url: string;
  /** Its Macs, once it is paid. */
  rental_ids: string[];
  /** Of these Macs; before it is paid, those that it asks for. */
  names: string[];
  /** When they start, while all are reserved. */
  rentals_start_at: string | null;
  /** When the last one ended, once all have. */
  rentals_ended_at: string | null;
  /** Null: an extension of several tiers. */
  tier: string | null;
  /** Of each Mac. */
  hours: number;
  /** Macs. */
  units: number;
  /** VAT included. */
  amount_won: number;
  /** Without VAT. */
  supply_won: number;
  vat_won: number;
  /** `now`, or an ISO time. */
  start: string;
  setup: {
    xcode: string | null;
  };
  /** The Macs that are extended. Empty for a rental order. */
  items: {
    rental_id: string;
    tier: string;
    amount_won: number;
    /** Refunded, and its time was removed. */
    refunded: boolean;
  }[];
  pay_expires_at: string;
  created_at: string;
  paid_at: string | null;
  receipt_url: string | null;
  /** Refunded part of `amount_won`; 0 if none. */
  refunded_won: number;
  /** Last refund; the bank may need some days more. */
  refunded_at: string | null;
  /** When it expired, was canceled or was refunded. */
  ended_at: string | null;
  /**
   * Why it ended: expired, canceled, or refunded as a whole.
   * - `expired`: it was not paid in time
   * - `canceled_by_person`: a person or the operator canceled it before it was paid
   * - `payment_failed`: its payment did not match or had no consent; it is refunded
   * - `no_capacity`: no Mac could be provided; the payment is refunded
   * - `refunded_by_operator`: the operator refunded it, or the rental that it extends
   */
  end_reason: 'expired' | 'canceled_by_person' | 'payment_failed' | 'no_capacity' | 'refunded_by_operator' | null;
}

/**
 * - `awaiting_payment`: a person has to open `pay_url`, consent and pay; its Macs are held until
 *   `pay_expires_at`
 * - `paid`: paid; its Macs are being found
 * - `provisioning`: paid; its Macs are being prepared, or begin later
 * - `ready`: its Macs are ready; an extension: the time was added
 * - `expired`: it was not paid in time
 * - `canceled`: `end_reason` says why; the payment is refunded
 */
export type OrderStatus = 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';

/** Answer of `GET /orders`. */
export interface OrderPage {
  orders: Order[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/** Query of `GET /orders`. */
export interface OrderFilter {
  status?: OrderStatus;
  /** `next_before` of the page before. */
  before?: string;
  /** 1 to 200. */
  limit?: number;
}

/** Query of `GET /orders/{order_no}/wait`. */
export interface WaitForOrderQuery {
  /** 1 to 60. */
  timeout?: number;
}

/** Macs that have not ended, and the account’s queue. Answer of `GET /rentals`. */
export interface RentalList {
  rentals: RentedMac[];
  queue: AgentQueue;
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** Query of `GET /rentals`. */
export interface RentalFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** Text in name or id. */
  q?: string;
}

/** Body of `POST /rentals/{rental_id}/extend/quote` and `POST /rentals/{rental_id}/extend`. */
export interface ExtensionRequest {
  /** A multiple of 24, at most 24 times `max_days` of the tier. */
  hours: number;
}

/** Quote more time for a Mac. Answer of `POST /rentals/{rental_id}/extend/quote`. */
export interface ExtensionQuote {
  rental_id: string;
  rental_name: string;
  hours: number;
  amount_won: number;
  breakdown: QuoteLine[];
  /** The current end. */
  ends_at: string;
  /** The end after the extension. */
  new_ends_at: string;
}

/** Body of `POST /rentals/extend/quote` and `POST /rentals/extend`. */
export interface MultiExtensionRequest {
  rental_ids: string[];
  /** A multiple of 24, at most 24 times `max_days` of the tier. */
  hours: number;
}

/** Quote more time for several Macs. Answer of `POST /rentals/extend/quote`. */
export interface MultiExtensionQuote {
  hours: number;
  /** Sum of the items that are ok. */
  amount_won: number;
  items: ExtensionItem[];
}

export interface ExtensionItem {
  rental_id: string;
  rental_name: string;
  tier: string | null;
  /** False: it cannot be extended; `reason` says why. */
  ok: boolean;
  amount_won?: number;
  ends_at?: string;
  new_ends_at?: string;
  /** An error code; absent if ok. */
  reason?: string;
  message?: string;
}

/** Answer of `GET /waitlist`. */
export interface Waitlist {
  entries: WaitlistEntry[];
}

/** Body of `POST /waitlist`. */
export interface WaitlistRequest {
  tier: string;
  /** Default: 1. 1 to 100. */
  units?: number;
}

/** Answer of `GET /webhooks`. */
export interface WebhookList {
  webhooks: Webhook[];
}

/** An address that receives events of the account. */
export interface Webhook {
  id: string;
  url: string;
  events: WebhookEventType[];
  status: WebhookStatus;
  /**
   * Null while it is enabled.
   * - `test_failed`: a test was not answered 2xx
   * - `gone`: a delivery was answered 410
   * - `by_request`: it was disabled by `PATCH`
   */
  disabled_reason: 'test_failed' | 'gone' | 'by_request' | null;
  created_at: string;
  /** Result of the last test. */
  test: {
    ok: boolean;
    http_status: number | null;
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
  };
}

/**
 * What happened.
 * - `build.succeeded`: it ended with exit code 0
 * - `build.failed`: another exit code, a timeout or a platform failure
 * - `build.cancelled`: it was canceled, or its Mac’s rental ended
 * - `build.expired`: it could not start
 * - `build.stalled`: it waits long, or runs long without output; once per build and reason
 * - `build.queued`: it was accepted; only for webhooks that list it
 * - `build.started`: it has started on a Mac; only for webhooks that list it
 * - `build.completed`: beside each of the four ends; only for webhooks that list it
 * - `rental.started`: its Mac is ready for the first time, and its time begins
 * - `rental.unavailable`: its host has lost its Mac and cannot make it again; the host keeps trying,
 *   and the time does not run
 * - `rental.available`: its Mac is ready again, after it was unavailable
 * - `rental.ends_soon`: it ends soon, unless it is extended; once per end
 * - `rental.ended`: its time is over, or it was ended early
 * - `rental.extended`: an extension was paid; it ends later
 * - `order.paid`: a person has paid it
 * - `order.expired`: nobody has paid it in time; its Macs are free again
 * - `order.refunded`: all or part of it is refunded; once per refund
 * - `waitlist.available`: the Macs that the entry waits for can be ordered
 */
export type WebhookEventType =
  | 'build.succeeded'
  | 'build.failed'
  | 'build.cancelled'
  | 'build.expired'
  | 'build.stalled'
  | 'build.queued'
  | 'build.started'
  | 'build.completed'
  | 'rental.started'
  | 'rental.unavailable'
  | 'rental.available'
  | 'rental.ends_soon'
  | 'rental.ended'
  | 'rental.extended'
  | 'order.paid'
  | 'order.expired'
  | 'order.refunded'
  | 'waitlist.available';

/**
 * - `enabled`: events are sent
 * - `disabled`: nothing is sent; pending deliveries are dropped
 */
export type WebhookStatus = 'enabled' | 'disabled';

/** Body of `POST /webhooks`. */
export interface WebhookRequest {
  /** A public https URL. */
  url: string;
  /** Default: ends and stalls of builds. */
  events?: WebhookEventType[];
}

/**
 * A webhook with its secret: returned at registration and rotation. Answer of `POST /webhooks` and
 * `POST /webhooks/{webhook_id}/rotate`.
 */
export interface RevealedWebhook extends Webhook {
  /** Signs deliveries; only shown here. */
  secret: string;
}

/** Absent fields stay unchanged. Body of `PATCH /webhooks/{webhook_id}`. */
export interface WebhookChanges {
  /** A public https URL. */
  url?: string;
  /** Default: ends and stalls of builds. */
  events?: WebhookEventType[];
  status?: WebhookStatus;
}

/** Body of `POST /webhooks/{webhook_id}/rotate`. */
export interface RotationRequest {
  /** Seconds in which the previous secret also signs; default 86,400. 0 to 604,800. */
  grace_s?: number;
}

/** Answer of `GET /webhooks/{webhook_id}/deliveries`. */
export interface WebhookDeliveryPage {
  deliveries: WebhookDelivery[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/**
 * One event to one receiver. Answer of `POST
 * /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver`.
 */
export interface WebhookDelivery {
  id: string;
  event_id: string;
  /** A WebhookEventType; more may come. */
  event_type: string;
  /** Number of attempts made. */
  attempt: number;
  status: DeliveryStatus;
  http_status: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** `error` as a code with values. */
  error_message: Message | null;
  /** Of the last attempt. */
  request: WebhookExchange | null;
  /** Of the last attempt. The end of a long body is left out. */
  response: WebhookExchange | null;
  created_at: string;
  delivered_at: string | null;
  next_attempt_at: string | null;
}

/**
 * - `pending`: an attempt is in flight or scheduled
 * - `delivered`: the receiver answered 2xx
 * - `failed`: all attempts failed
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface WebhookExchange {
  headers: Record<string, string>;
  body: string;
}

/** Query of `GET /webhooks/{webhook_id}/deliveries`. */
export interface DeliveryFilter {
  status?: DeliveryStatus;
  /** `next_before` of the page before. */
  before?: string;
  /** 1 to 200. */
  limit?: number;
}

/** Body of `POST /webhooks/{webhook_id}/redeliver`. */
export interface RedeliverRequest {
  since: string;
  status?: 'delivered' | 'failed';
}

/** Macs, queue, last builds and advice in one answer. Answer of `GET /status`. */
export interface AgentStatus {
  account: Account;
  plan: {
    kind: 'daily_rental';
    /** Macs that exist or are being made. */
    active_macs: number;
    tiers: string[];
  };
  macs: AgentMac[];
  advice: Advice[];
  queue: AgentQueue;
  last_builds: ListedBuild[];
  /** Orders that a person may pay now. */
  unpaid_orders: UnpaidOrder[];
}

export interface Account {
  id: number;
  name: string | null;
  slug: string | null;
  status: string;
}

/** What the account may want to do now. */
export interface Advice {
  /**
   * - `extend_recommended`: a Mac has less than a day left and can be extended
   * - `expiring_soon`: a Mac has less than an hour left
   * - `mac_unavailable`: its host has lost the Mac, or cannot make it; it keeps trying. `reason` is the
   *   code of the problem
   * - `queue_backlog`: many builds wait for few Macs
   * - `no_active_mac`: builds cannot start
   */
  kind: 'extend_recommended' | 'expiring_soon' | 'mac_unavailable' | 'queue_backlog' | 'no_active_mac';
  rental_id?: string;
  rental_name?: string;
  remaining_s?: number;
  /** More may come. */
  reason: string;
  quote_hint?: QuoteHint;
  queued_count?: number;
  active_macs?: number;
  next: NextRequest[];
}

/** An order that waits for a person to pay it; it holds its Macs until then. */
export interface UnpaidOrder {
  order_no: string;
  /**
   * - `rental`: new Macs
   * - `extension`: more time for Macs
   */
  kind: 'rental' | 'extension';
  /** Null: an extension of several tiers. */
  tier: string | null;
  /** Macs. */
  units: number;
  /** Of each Mac. */
  hours: number;
  /** VAT included. */
  amount_won: number;
  /** For a person of the account. Valid until `pay_expires_at`. */
  pay_url: string;
  pay_expires_at: string;
}

/** Query of `GET /status`. */
export interface GetStatusQuery {
  /** Of each list. 1 to 200. */
  limit?: number;
}

/** Query of `GET /openapi.json`. */
export interface GetReferenceQuery {
  form?: 'full';
}

export interface Session {
  user: {
    id: string;
    email: string;
    name: string | null;
    /** Null: not known yet. */
    language: 'en' | 'ko' | null;
    operator: boolean;
    /** Ways to confirm again who the person is, in order of preference. */
    confirm_ways: ('passkey' | 'password' | 'provider' | 'code')[];
  };
  organizations: {
    id: string;
    name: string;
    slug: string;
    role: 'owner' | 'admin' | 'developer';
    status: string;
    payments_blocked: boolean;
    /** Of the person who asks; counted up to 100. */
    unread_notices: number;
    workspaces: {
      id: string;
      name: string;
    }[];
  }[];
  /** Settings of the service that pages mention. */
  limits: {
    invite_s: number;
    build_link_s: number;
    topup_s: number;
    topup_withdraw_s: number;
    order_hold_s: number;
    extension_deadline_s: number;
    mac_states_kept_s: number;
    session_confirm_s: number;
    enrolment_s: number;
    password_chars_min: number;
    secret_bytes: number;
    webhook_redeliveries: number;
  };
  /** Root address of the host on which `repo` of a build lies. */
  code_host: string;
  /** Whether the service sends e-mail. */
  sends_mail: boolean;
  expires_at: string;
  now: string;
}

/** Answer of `POST /v1/session/provider/begin`. */
export interface IdentityProviderRequest {
  url: string;
  /** To be kept in this browser, and sent with the answer. */
  token: string;
  expires_at: string;
}

/** Body of `POST /v1/session/provider` and `POST /v1/identity`. */
export interface IdentityProviderAnswer {
  /** `token` of `POST /v1/session/provider/begin`. */
  token: string;
  state: string;
  code?: string;
  error?: string;
  iss?: string;
}

/** Answer of `GET /v1/identity`. */
export interface Identity {
  /** The identity provider of the service; null: none is configured. */
  provider: {
    /** Host of the provider. */
    name: string;
  } | null;
  identity: LinkedIdentity | null;
}

/** Answer of `POST /v1/identity`. */
export interface LinkedIdentity {
  /** At the provider, when the account was linked. */
  email: string | null;
  linked_at: string;
  last_used_at: string | null;
}

/** Answer of `GET /v1/sign-in-ways`. */
export interface SignInWays {
  passkeys: boolean;
  /** The identity provider of the service; null: none is configured. */
  provider: {
    /** Host of the provider. */
    name: string;
  } | null;
}

/**
 * JSON that browsers take for a passkey (WebAuthn, level 3). Answer of `POST
 * /v1/session/passkey/options` and `POST /v1/passkeys/options`.
 */
export interface PasskeyOptions {
  options: {
    challenge: string;
    [name: string]: unknown;
  };
}

export interface SignedPasskeyChallenge {
  id: string;
  /** `clientDataJSON`, in base64url. */
  client_data: string;
  authenticator_data: string;
  signature: string;
  user_handle?: string | null;
}

/** Answer of `GET /v1/passkeys`. */
export interface PasskeyList {
  data: Passkey[];
  /** Why browsers offer no passkeys at the address of the service; null: they do. */
  refused: 'plain_http' | 'ip_address' | null;
}

/** Answer of `POST /v1/passkeys` and `PATCH /v1/passkeys/{passkey_id}`. */
export interface Passkey {
  id: string;
  name: string;
  /** Whether it is synchronized between devices. */
  synced: boolean;
  created_at: string;
  last_used_at: string | null;
}

export interface NewPasskeyCredential {
  id: string;
  /** `clientDataJSON`, in base64url. */
  client_data: string;
  /** `attestationObject`, in base64url. */
  attestation: string;
  transports: string[];
}

/** Answer of `GET /v1/second-factors`. */
export interface SecondFactors {
  /** The authenticator app; null: two-step sign-in is off. */
  totp: {
    on_since: string;
  } | null;
  recovery_codes_left: number;
}

/** Answer of `POST /v1/second-factors/totp`. */
export interface TotpSetup {
  /** In base32, to type into an app. */
  secret: string;
  /** `otpauth://…`, for a QR code. */
  address: string;
  expires_at: string;
}

/** Answer of `POST /v1/second-factors/totp/confirm` and `POST /v1/second-factors/recovery-codes`. */
export interface RecoveryCodes {
  /** Shown only in this response; each works once. */
  recovery_codes: string[];
}

/** Answer of `POST /v1/session/confirm`. */
export interface SessionConfirmation {
  /** Until then the person is not asked again. */
  confirmed_until: string;
}

/** Answer of `GET /v1/first-owner`. */
export interface FirstOwnerState {
  /** The service has no people yet. */
  missing: boolean;
  password_chars_min: number;
}

/** Answer of `GET /v1/password-reset`. */
export interface PasswordResetState {
  /** False: only an operator makes links. */
  sends_mail: boolean;
  valid_s: number;
  password_chars_min: number;
}

/** Answer of `POST /v1/password-reset`. */
export interface PasswordReset {
  email: string;
}

/** Answer of `POST /v1/password-reset/lookup`. */
export interface OpenPasswordReset {
  email: string;
  expires_at: string;
}

/** Answer of `GET /v1/sessions`. */
export interface OwnSessionList {
  data: OwnSession[];
}

export interface OwnSession {
  id: string;
  /** The session of this request. */
  current: boolean;
  /** Address of the sign-in. */
  ip: string;
  user_agent: string | null;
  created_at: string;
  last_used_at: string;
  expires_at: string;
}

/** Answer of `GET /v1/organizations/{org_id}/members` and `GET /v1/organizations/{org_id}/members`. */
export interface MemberList {
  data: Member[];
  /** On all pages. */
  owners: number;
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** Answer of `PATCH /v1/organizations/{org_id}/members/{user_id}` and `POST /v1/member/set`. */
export interface Member {
  user_id: string;
  email: string;
  name: string | null;
  role: 'owner' | 'admin' | 'developer';
  /** Workspaces that the member sees: all, for owners and admins. */
  workspace_ids: string[];
  joined_at: string;
}

/** Query of `GET /v1/organizations/{org_id}/members`. */
export interface MemberFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/invites`. */
export interface InviteList {
  data: Invite[];
}

export interface Invite {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'developer';
  /** Workspaces that the developer will see. */
  workspace_ids?: string[];
  /** User id; missing: an operator of the service. */
  invited_by?: string;
  invited_by_email?: string;
  expires_at: string;
  created_at: string;
}

/** Answer of `POST /v1/organizations/{org_id}/invites`. */
export interface NewInvite extends Invite {
  accept_url: string;
  /** False: no mail server is configured; pass the address on. */
  mailed: boolean;
}

/** Answer of `POST /v1/invites/lookup`. */
export interface OpenInvite {
  organization: {
    name: string;
    slug: string;
  };
  email: string;
  role: 'owner' | 'admin' | 'developer';
  /** E-mail address; null: an operator. */
  invited_by: string | null;
  expires_at: string;
  /** The person has an account, and signs in with its password. */
  known: boolean;
  /** Shortest password of a new account. */
  password_chars_min: number;
}

/** Answer of `GET /v1/organizations/{org_id}/api-keys`. */
export interface ApiKeyList {
  data: ApiKey[];
  /** Of all keys, regardless of the query. */
  total: number;
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface ApiKey {
  id: string;
  name: string;
  prefix: string;
  levels: ('read' | 'build' | 'manage')[];
  cidrs: string[];
  workspace_id: string | null;
  expires_at: string | null;
  created_at: string;
  /** Null: an operator of the service. */
  created_by: {
    user_id: string;
    email: string;
  } | null;
  last_used_at: string | null;
  revoked_at: string | null;
  revoked_reason: string | null;
  /** Where a leaked key was found, if known. */
  leaked_url: string | null;
}

/** Query of `GET /v1/organizations/{org_id}/api-keys`. */
export interface ApiKeyFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** usable: neither revoked nor expired; leaked: found in public. */
  state?: 'usable' | 'leaked';
  /** User id. */
  created_by?: string;
  workspace_id?: string;
}

/** Answer of `POST /v1/organizations/{org_id}/api-keys`. */
export interface NewApiKey extends ApiKey {
  key: string;
}

/** Answer of `GET /v1/organizations/{org_id}/audit`. */
export interface AuditPage {
  data: AuditEntry[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface AuditEntry {
  at: string;
  actor: {
    kind: ActorKind;
    id: string | null;
    name: string | null;
  };
  ip: string | null;
  /** `resource.verb`. */
  action: string;
  /** Identifier of the object of the action. */
  target: string | null;
  /** Name of the Mac, where the target is a rental. */
  target_name: string | null;
  /** `ok`, or an error code. */
  result: string;
  /** Number of equal failures within a minute. */
  count: number;
}

/**
 * Who did it.
 * - `person`: a member, in the console
 * - `api_key`: an API key
 * - `operator`: an operator of the service
 * - `anonymous`: not authenticated
 */
export type ActorKind = 'person' | 'api_key' | 'operator' | 'anonymous';

/** Query of `GET /v1/organizations/{org_id}/audit`. */
export interface AuditEntryFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** Id, name or kind. */
  actor?: string;
  /** An action, or its resource: `order`. */
  action?: string;
  target?: string;
  failed?: 'true' | 'false';
  since?: string;
  until?: string;
  /** All entries, without pages. */
  format?: 'csv' | 'jsonl';
}

/** Answer of `GET /v1/organizations/{org_id}/workspaces`. */
export interface WorkspaceList {
  data: ListedWorkspace[];
}

export interface ListedWorkspace {
  id: string;
  name: string;
  created_at: string;
  /** Members who see it, without owners and admins, who see all. */
  developers: number;
  /** Number of keys that can be used. */
  keys: number;
}

/**
 * Answer of `POST /v1/organizations/{org_id}/workspaces` and `PATCH
 * /v1/organizations/{org_id}/workspaces/{workspace_id}`.
 */
export interface Workspace {
  id: string;
  name: string;
  created_at: string;
}

/** Answer of `GET /v1/organizations/{org_id}/notices`. */
export interface NoticeList {
  data: Notice[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
  /** Of the person who asks; counted up to 100. */
  unread: number;
}

export interface Notice {
  id: string;
  kind: string;
  /** Identifies the subject and the text. */
  code: string;
  /** The values in both, by name. */
  params: Record<string, string | number>;
  /** In English, as `text`. */
  subject: string;
  text: string;
  created_at: string;
  /** Whether the person who asks has read the notice. */
  read: boolean;
}

/** Query of `GET /v1/organizations/{org_id}/notices`. */
export interface NoticeFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_before` of the page before. */
  before?: string;
}

/** Answer of `GET /v1/files`. */
export interface FilePage {
  data: WorkspaceFile[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
  /** Of the files of the workspace. */
  total_bytes: number;
}

/** An uploaded folder, or an artifact of a build. */
export interface WorkspaceFile {
  id: string;
  kind: FileKind;
  name: string;
  /** Of an artifact, relative. With `/` between its parts. */
  path: string | null;
  bytes: number;
  size: number;
  /** Null for an upload. */
  sha256: string | null;
  /** Saved with mode 755 instead of 644. */
  executable: boolean;
  /** The build of an artifact. */
  job_id: string | null;
  created_at: string;
  expires_at: string | null;
  /** An unfinished build uses the file. */
  in_use: boolean;
  /** Path that answers an ArtifactAddress. */
  download_url: string | null;
}

/**
 * - `upload`: a folder that was sent
 * - `artifact`: what a build left behind
 */
export type FileKind = 'upload' | 'artifact';

/** Query of `GET /v1/files`. */
export interface FileFilter {
  workspace_id?: string;
  kind?: FileKind;
  /** Only the artifacts of this build. */
  job_id?: string;
  /** 1 to 100. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/**
 * Can be fetched without a key until `expires_at`. Answer of `GET
 * /v1/jobs/{job_id}/artifacts/{file_id}` and `GET /v1/shared/{token}/artifacts/{file_id}`.
 */
export interface ArtifactAddress {
  url: string;
  expires_at: string;
}

/** Answer of `POST /v1/organizations/{org_id}/builds/{build_id}/share`. */
export interface BuildLink {
  url: string;
  expires_at: string;
}

/** Answer of `GET /v1/shared/{token}`. */
export interface SharedBuild {
  build_id: string;
  /** Root address of the host on which `repo` of a build lies. */
  code_host: string;
  expires_at: string;
}

/** Answer of `GET /v1/shared/{token}/artifacts`. */
export interface SharedArtifacts {
  data: WorkspaceFile[];
  next_cursor: string | null;
}

/** Query of `GET /v1/shared/{token}/artifacts`. */
export interface SharedArtifactFilter {
  /** 1 to 100. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/orders/{order_no}`. */
export interface PayPage {
  order: Order;
  payment: Payment | null;
  /** Null: not paid with credit. */
  credit_payment: CreditPayment | null;
  provider: 'approval' | 'sandbox' | 'portone';
  consent: ConsentText;
  /** Who sells, as on receipts, in lines. */
  seller: string | null;
  /** Price in credit; null: it cannot be paid now, costs nothing, or there is no rate. */
  credit: CreditOffer | null;
}

export interface Payment {
  provider: 'approval' | 'sandbox' | 'portone';
  status: 'pending' | 'confirming' | 'paid' | 'late' | 'failed' | 'cancelled';
  amount_won: number;
  payment_id: string | null;
  method: string | null;
  paid_at: string | null;
  receipt_url: string | null;
  failure_code: string | null;
  cancelled_won: number;
  checkout: {
    script: string;
    manual_confirm: boolean;
    request: Record<string, string | number | boolean>;
  } | null;
}

export interface CreditPayment {
  /** Credit that was taken, in millionths of a US dollar. */
  micro_usd: number;
  /** US dollars with six digits after the point. */
  usd: string;
  paid_at: string;
  /** Credit that refunds have returned. */
  returned_micro_usd: number;
  /** US dollars with six digits after the point. */
  returned_usd: string;
  /** Won of the order that have been refunded as credit. */
  returned_won: number;
  /** Day of the exchange rate, in Korea. */
  fx_day: string;
  fx_source: 'fixed' | 'eximbank';
  krw_per_usd: string;
}

export interface ConsentText {
  version: string;
  sha256: string;
  terms: string;
  withdrawal: string;
  ko: {
    terms: string;
    withdrawal: string;
  } | null;
}

export interface CreditOffer {
  /** Price of the order at the rate, in millionths of a US dollar. */
  price_micro_usd: number;
  /** US dollars with six digits after the point. */
  price_usd: string;
  /** Credit that is neither spent nor being withdrawn. */
  available_micro_usd: number;
  /** US dollars with six digits after the point. */
  available_usd: string;
  suffices: boolean;
  /** Day of the exchange rate, in Korea. */
  fx_day: string;
  fx_source: 'fixed' | 'eximbank';
  krw_per_usd: string;
}

export interface OrderPayment {
  order: Order;
  payment: Payment | null;
  /** Null: not paid with credit. */
  credit_payment: CreditPayment | null;
}

/**
 * Credit in US dollars, paid in won at the rate of the day. Answer of `POST
 * /v1/organizations/{org_id}/topups/{order_id}/withdraw`.
 */
export interface TopUp {
  /** Also the payment id at the payment provider. */
  order_id: string;
  organization_id: string;
  status: 'pending' | 'confirming' | 'paid' | 'failed' | 'expired' | 'cancelled';
  usd: number;
  /** Credit that it adds, in millionths of a dollar. */
  credit_micro_usd: number;
  /** US dollars with six digits after the point. */
  credit_usd: string;
  /** Price, VAT included: dollars × rate, rounded up. */
  amount_krw: number;
  /** Without VAT. */
  supply_krw: number;
  vat_krw: number;
  /** Day of the rate, in Korea. */
  fx_day: string;
  fx_source: 'fixed' | 'eximbank';
  /** Rate of this top-up. */
  fixed_krw_per_usd: string;
  /** The provider's transaction id. */
  payment_id: string | null;
  method: string | null;
  paid_at: string | null;
  receipt_url: string | null;
  /** Refunded. */
  cancelled_krw: number;
  /** Refund that the provider has not confirmed yet. */
  withdrawing_krw: number;
  withdrawable_until: string | null;
  /** Why the last payment failed; late_payment: paid too late, and refunded. */
  failure_code: string | null;
  created_at: string;
  expires_at: string;
  /** Page on which a person pays it. */
  pay_url: string;
}

export interface TopUpPayment extends TopUp {
  payment: Payment | null;
}

/** Answer of `GET /v1/organizations/{org_id}/topups`. */
export interface TopUpPage {
  data: TopUp[];
  next_cursor: string | null;
}

/** Query of `GET /v1/organizations/{org_id}/topups`. */
export interface TopUpFilter {
  /** 1 to 100. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/topups/{order_id}`. */
export interface TopUpDetail extends TopUpPayment {
  /** What can be withdrawn now. */
  withdrawable_krw: number;
  provider: 'approval' | 'sandbox' | 'portone';
  consent: ConsentText;
  /** Who sells, as on receipts, in lines. */
  seller: string | null;
}

/** Answer of `GET /v1/organizations/{org_id}/credit`. */
export interface CreditBalance {
  /** Negative after a chargeback of credit that was spent. */
  balance_micro_usd: number;
  /** US dollars with six digits after the point. */
  balance_usd: string;
  /** Part of the balance that is being withdrawn. */
  reserved_micro_usd: number;
  /** US dollars with six digits after the point. */
  reserved_usd: string;
}

/** Answer of `GET /v1/organizations/{org_id}/ledger`. */
export interface CreditLedgerPage {
  data: CreditEntry[];
  next_cursor: string | null;
}

export interface CreditEntry {
  id: string;
  at: string;
  kind: 'top_up' | 'withdrawal' | 'refund' | 'chargeback' | 'adjustment' | 'order' | 'order_refund';
  /** Negative: taken. */
  micro_usd: number;
  /** US dollars with six digits after the point. */
  credit_usd: string;
  /** After this entry. */
  balance_usd: string;
  /** The top-up. */
  order_id: string | null;
  /** The order of Macs that was paid or refunded. */
  order_no: string | null;
  /** Won that was paid; negative: refunded. */
  krw: number | null;
  reason: string | null;
}

/** Query of `GET /v1/organizations/{org_id}/ledger`. */
export interface LedgerFilter {
  /** 1 to 100. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/fx-rates/today`. */
export interface ExchangeRate {
  /** Day of the rate, in Korea. */
  fx_day: string;
  krw_per_usd: string;
  source: 'fixed' | 'eximbank';
  fetched_at: string;
}

/** Answer of `GET /v1/organizations/{org_id}/builds/{build_id}/events`. */
export interface BuildEventList {
  data: DeliveredBuildEvent[];
  /** The API key; null: a person in the console. */
  submitted_by: {
    key_id: string;
    name: string;
  } | null;
}

export interface DeliveredBuildEvent {
  id: string;
  type: BuildEventType;
  /** Number within the build, from 1. */
  sequence: number;
  at: string;
  deliveries: BuildEventDelivery[];
}

/**
 * What happened to a build.
 * - `build.succeeded`: it ended with exit code 0
 * - `build.failed`: another exit code, a timeout or a platform failure
 * - `build.cancelled`: it was canceled, or its Mac’s rental ended
 * - `build.expired`: it could not start
 * - `build.stalled`: it waits long, or runs long without output; once per build and reason
 * - `build.queued`: it was accepted; only for webhooks that list it
 * - `build.started`: it has started on a Mac; only for webhooks that list it
 * - `build.completed`: beside each of the four ends; only for webhooks that list it
 */
export type BuildEventType =
  | 'build.succeeded'
  | 'build.failed'
  | 'build.cancelled'
  | 'build.expired'
  | 'build.stalled'
  | 'build.queued'
  | 'build.started'
  | 'build.completed';

export interface BuildEventDelivery {
  id: string;
  /** Null: the `notify_url` of the build. */
  webhook_id: string | null;
  status: DeliveryStatus;
  /** Number of attempts made. */
  attempt: number;
  http_status: number | null;
  error: string | null;
  /** `error` as a code with values. */
  error_message: Message | null;
  delivered_at: string | null;
  next_attempt_at: string | null;
}

/** Answer of `GET /v1/locate`. */
export interface Located {
  kind: 'build' | 'rental' | 'order';
  organization_id: string;
  /** Of the organization, in addresses of the console. */
  slug: string;
  /** Of a build; otherwise null. */
  workspace_id: string | null;
}

/** Query of `GET /v1/locate`. */
export interface LocateQuery {
  /** A build id, rental id or order number. */
  id: string;
}

/** Query of `GET /openapi.json`. */
export interface GetReferenceQuery {
  form?: 'full';
}

/** Answer of `GET /v1/hosts`. */
export interface FleetPage {
  data: FleetHost[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
  /** When this was read, by the clock of the service. */
  at: string;
  /** Number of hosts in each state and condition, regardless of the filter. */
  counts: {
    state:
      | 'pending'
      | 'active'
      | 'away'
      | 'draining'
      | 'cordoned'
      | 'removed'
      | 'credential_conflict'
      | 'blocked'
      | 'macs_failing'
      | 'disk_low'
      | 'unhealthy'
      | 'upgrading'
      | 'moving';
    hosts: number;
  }[];
}

export interface FleetHost {
  host_id: string;
  name: string;
  tier: string | null;
  status: HostStatus;
  reason: string | null;
  status_by: string | null;
  status_at: string | null;
  labels: Record<string, string>;
  /** Whether the host may serve several accounts at a time. */
  shared: boolean;
  driver: string | null;
  agent_version: string | null;
  disk_free_bytes: number | null;
  disk_low: boolean;
  /** Why it cannot create Macs; null: it can. */
  blocked: {
    code: string | null;
    message: string;
  } | null;
  connected: boolean;
  last_seen_at: string | null;
  /** Its status, or `away`. */
  state: string;
  /** Its state, and what else is wrong. */
  conditions: (
    | 'pending'
    | 'active'
    | 'away'
    | 'draining'
    | 'cordoned'
    | 'removed'
    | 'credential_conflict'
    | 'blocked'
    | 'macs_failing'
    | 'disk_low'
    | 'unhealthy'
    | 'upgrading'
    | 'moving'
  )[];
  /** The same in sentences, the most important first. */
  reasons: Message[];
  slots: number;
  slots_taken: number;
  running: RunningBuild[];
  macos: string | null;
  os: string | null;
  chip: string | null;
  arch: string | null;
  cpu_cores: number | null;
  memory_bytes: number | null;
  xcodes: string[] | null;
  health: 'ok' | 'warning' | 'failed' | null;
  health_problems: HostFinding[];
  /** Null: the agent does not report it. */
  upgrade: HostUpgrade | null;
  address: string | null;
  moving_to: string | null;
  moving: {
    to: string;
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
  } | null;
  slot_details: HostSlot[];
}

/**
 * What operators have set.
 * - `pending`: waits for approval, or for a tier
 * - `active`: in service
 * - `draining`: its builds end, it gets no new ones, and no new Macs
 * - `cordoned`: it gets no new Macs; those that are rented go on
 * - `removed`: its credential is invalid
 */
export type HostStatus = 'pending' | 'active' | 'draining' | 'cordoned' | 'removed';

export interface RunningBuild {
  build_id: string;
  rental_id: string | null;
  rental_name: string | null;
  started_at: string | null;
  organization: OrganizationRef;
}

export interface OrganizationRef {
  org_id: string;
  slug: string;
  name: string;
}

export interface HostFinding {
  check: string | null;
  status: 'ok' | 'warning' | 'failed';
  found: string;
  /** `found` as a code with values. */
  found_message: Message;
  /** What to do about it. */
  fix: string | null;
  /** `fix` as a code with values. */
  fix_message: Message | null;
}

export interface HostUpgrade {
  /** The agent can install another version. */
  able: boolean;
  platform: string;
  version: string | null;
  state: 'idle' | 'downloading' | 'installing' | 'restarting' | 'trying' | 'failed' | 'rolled_back';
  error: string | null;
  /** `error` as a code with values. */
  error_message: Message | null;
}

export interface HostSlot {
  slot_id: string;
  position: number;
  /** Whether an unpaid order holds the slot. */
  held: boolean;
  macs: {
    rental_id: string;
    name: string;
    state: string;
    xcode: string | null;
    generation: number;
    image_digest: string | null;
    progress: MacProgress | null;
    /** Why the host cannot make it. */
    problem: HostMacProblem | null;
    organization: OrganizationRef;
    build_id: string | null;
  }[];
}

export interface HostMacProblem extends MacProblem {
  /** The words of the host. */
  detail: string | null;
}

/** Query of `GET /v1/hosts`. */
export interface OperatorHostFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  state?:
    | 'pending'
    | 'active'
    | 'away'
    | 'draining'
    | 'cordoned'
    | 'removed'
    | 'credential_conflict'
    | 'blocked'
    | 'macs_failing'
    | 'disk_low'
    | 'unhealthy'
    | 'upgrading'
    | 'moving';
  tier?: string;
  /** Only hosts with all of these labels: KEY=VALUE, separated by commas. */
  labels?: string;
  /** Only hosts with these ids, separated by commas; removed ones too. */
  hosts?: string;
  /** Part of a name, label, version or id. */
  q?: string;
}

/** Answer of `GET /v1/hosts/{host_id}`. */
export interface FleetHostDetail extends FleetHost {
  health_findings: HostFinding[] | null;
  health_checked_at: string | null;
  /** The newest first. */
  connections: {
    connected_at: string | null;
    ended_at: string | null;
    agent_version: string;
  }[];
  disk_total_bytes: number | null;
  clock_skew_ms: number | null;
  /** When its current or last connection began. */
  connected_at: string | null;
  enrolled_at: string;
  /** When this was read, by the clock of the service. */
  at: string;
}

/** Answer of `GET /v1/upgrade`. */
export interface AgentUpgrade {
  upgrade: Rollout | null;
  /** The newest first. */
  versions: string[];
}

/** The newest upgrade of agents. */
export interface Rollout {
  version: string;
  status: 'running' | 'done' | 'failed' | 'cancelled';
  error: string | null;
  /** `error` as a code with values. */
  error_message: Message | null;
  /** The name of the host that failed. */
  error_host: string | null;
  /** When the other hosts follow the canaries. */
  soak_until: string | null;
  created_at: string | null;
  ended_at: string | null;
  hosts_total: number;
  hosts_done: number;
  hosts: {
    host_id: string;
    name: string;
    agent_version: string | null;
    connected: boolean;
    canary: boolean;
    state: 'waiting' | 'upgrading' | 'done' | 'failed' | 'left_out';
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
    /** Null: the agent does not report it. */
    upgrade: HostUpgrade | null;
    started_at: string | null;
    ended_at: string | null;
  }[];
}

/** Query of `GET /v1/upgrade`. */
export interface OperatorGetUpgradeQuery {
  /** Of hosts. 1 to 200. */
  limit?: number;
  /** All hosts, in the order in which they are upgraded. */
  hosts?: 'all';
}

/** Answer of `GET /v1/calendar`. */
export interface CalendarPage {
  from: string;
  to: string;
  data: {
    host_id: string;
    name: string;
    tier: string | null;
    status: string;
    slots: {
      slot_id: string;
      position: number;
      occupations: SlotOccupation[];
    }[];
  }[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface SlotOccupation {
  /** hold: for an unpaid order, or for the extension of `rental_id`. */
  kind: 'rental' | 'reservation' | 'hold';
  rental_id: string | null;
  rental_name: string | null;
  order_no: string | null;
  /** Of the Mac. */
  state: string | null;
  starts_at: string;
  /** Null: no end. */
  ends_at: string | null;
  organization: OrganizationRef;
}

/** Query of `GET /v1/calendar`. */
export interface OperatorGetCalendarQuery {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** Default: a day ago. */
  from?: string;
  /** Default: 14 days after `from`. */
  to?: string;
  tier?: string;
}

/** Answer of `GET /v1/tiers`. */
export interface OperatorTiers {
  tiers: OperatorTier[];
}

export interface OperatorTier {
  tier: string;
  name: string;
  /** Price of one Mac for 24 hours, VAT included. */
  price_won: number;
  spec: {
    chip: string;
    cpu_cores: number;
    memory_gb: number;
    disk_gb: number;
    macos: string;
  };
  xcode_versions: string[];
  default_xcode: string | null;
  runtimes: string[];
  tools: string[];
  image: string | null;
  /** Null: no host has resolved the image yet. */
  image_digest: string | null;
  /** Values that come from the image. */
  from_image: string[];
  sales_open: boolean;
  max_days: number;
  /** unsellable: the host takes no new Macs, or serves another organization. */
  slots: {
    free: number;
    used: number;
    unsellable: number;
  };
}

/** Answer of `GET /v1/images`. */
export interface TierImages {
  images: TierImage[];
}

/** What the image of a tier offers, and which hosts have it. Answer of `GET /v1/images/{tier}`. */
export interface TierImage {
  tier: string;
  image: string | null;
  image_digest: string | null;
  offers: {
    macos: string;
    xcodes: {
      version: string;
      build: string | null;
    }[];
    runtimes: string[];
    tools: string[];
  } | null;
  hosts: ImageOnHost[];
}

export interface ImageOnHost {
  host_id: string;
  name: string;
  connected: boolean;
  /** The host can create Macs from the image at once. */
  holds: boolean;
  state: 'absent' | 'pulling' | 'ready' | 'failed' | null;
  digest: string | null;
  percent: number | null;
  /** Bytes that its fetch has transferred so far, compressed. */
  fetched_bytes: number | null;
  /** Bytes that its fetch transfers in all. */
  fetch_bytes: number | null;
  bytes: number | null;
  error: string | null;
  /** `error` as a code with values. */
  error_message: Message | null;
  offers_differ: boolean;
  pull: {
    status: 'queued' | 'running' | 'done' | 'failed';
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
    requested_at: string | null;
    started_at: string | null;
    ended_at: string | null;
  } | null;
}

/** Answer of `GET /v1/enrollments`. */
export interface Enrollments {
  tokens: EnrollmentToken[];
  /** The oldest first. */
  approvals: WaitingMachine[];
  install: {
    /** TOKEN stands for the token. */
    with_token: string;
    with_code: string;
  };
}

/** Without its secret, which is shown once. Answer of `POST /v1/host/token/revoke`. */
export interface EnrollmentToken {
  id: string;
  state: 'valid' | 'used up' | 'revoked';
  reusable: boolean;
  /** How many hosts it enrolls. */
  uses: number;
  used: number;
  name: string | null;
  tier: string | null;
  slots: number;
  labels: Record<string, string>;
  expires_at: string | null;
  revoked_at: string | null;
}

/** A machine that waits for approval. */
export interface WaitingMachine {
  /** The machine shows it. */
  code: string;
  name: string;
  ip: string;
  chip: string;
  os: string;
  agent_version: string;
  expires_at: string | null;
}

/** Answer of `GET /v1/problems`. */
export interface OperatorProblems {
  /** Number of problems. */
  total: number;
  problems: OpenProblem[];
  notices: {
    id: string;
    kind: string;
    resolved: boolean;
    summary: string;
    /** `summary` as a code with values. */
    summary_message: Message;
    created_at: string;
  }[];
}

/** A problem that was announced and is not over. */
export interface OpenProblem {
  kind: string;
  /** Of the host, tier or refund, or the number of the order. */
  id: string;
  name: string;
  /** What is wrong. */
  reason: Message;
  since: string | null;
}

/** Query of `GET /v1/problems`. */
export interface OperatorProblemFilter {
  /** Of problems. 1 to 200. */
  limit?: number;
}

/** Answer of `GET /v1/notices`. */
export interface OperatorNotices {
  open: OpenProblem[];
  notices: OperatorNotice[];
}

/**
 * A notice to operators, and what became of its mails and webhook. Answer of `GET
 * /v1/notices/{notice_id}`.
 */
export interface OperatorNotice {
  id: string;
  kind: string;
  /** The problems are over. */
  resolved: boolean;
  /** Its mails are written, and its webhook is due. */
  announced: boolean;
  summary: string;
  /** `summary` as a code with values. */
  summary_message: Message;
  created_at: string | null;
  problems: {
    id: string;
    name: string;
    /** What is wrong. */
    reason: Message;
    since: string | null;
  }[];
  mails: {
    to: string;
    sent_at: string | null;
    attempts: number;
    error: string | null;
  }[];
  webhook: {
    status: 'none' | 'pending' | 'delivered' | 'failed';
    attempts: number;
    http_status: number | null;
    error: string | null;
    /** `error` as a code with values. */
    error_message: Message | null;
    next_attempt_at: string | null;
  };
}

/** Query of `GET /v1/notices`. */
export interface OperatorNoticeFilter {
  /** How many notices. 1 to 200. */
  newest?: number;
}

/** Answer of `GET /v1/organizations`. */
export interface OrganizationPage {
  data: ListedOrganization[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface ListedOrganization {
  /** Number of the organization. */
  id: number;
  org_id: string;
  slug: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  payments_blocked: boolean;
  created_at: string;
  members: number;
  /** Number of Macs whose rental has not ended. */
  macs: number;
  stored_bytes: number;
}

/** Query of `GET /v1/organizations`. */
export interface OperatorOrganizationFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  status?: 'active' | 'suspended' | 'closed';
  /** Part of a name or slug, or an id. */
  q?: string;
}

/** Answer of `GET /v1/organizations/{org_id}`. */
export interface OperatorOrganization {
  /** Number of the organization. */
  id: number;
  org_id: string;
  slug: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  payments_blocked: boolean;
  created_at: string;
  members: number;
  /** Number of Macs whose rental has not ended. */
  macs: number;
  usage: {
    contents_bytes: number;
    artifacts_bytes: number;
    logs_bytes: number;
    records_bytes: number;
    held_slots: number;
  };
  limits: {
    name: string;
    /** Field of `org.set-limits`, in the unit. */
    option: string;
    meaning: string;
    unit: {
      name: string;
      size: number;
    } | null;
    value: number;
    default: number;
    changed: boolean;
  }[];
}

/** Query of `GET /v1/organizations/{org_id}/members`. */
export interface OperatorMemberFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/rentals`. */
export interface OperatorRentalPage {
  data: OperatorRental[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface OperatorRental {
  rental_id: string;
  /** What the organization calls it. */
  name: string;
  tier: string;
  host: {
    host_id: string;
    name: string;
  };
  slot_id: string;
  state: string;
  /** Null: granted by an operator. */
  order_no: string | null;
  hours: number | null;
  amount_won: number;
  /** Null: no end. */
  ends_at: string | null;
}

/** Query of `GET /v1/organizations/{org_id}/rentals`. */
export interface OperatorRentalFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/orders`. */
export interface OperatorOrderPage {
  data: OperatorOrder[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface OperatorOrder {
  order_no: string;
  organization: OrganizationRef;
  kind: string;
  status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  tier: string | null;
  hours: number;
  units: number;
  amount_won: number;
  refunded_won: number;
  created_at: string;
  paid_at: string | null;
  ended_at: string | null;
  end_reason: string | null;
  /** While all its rentals are reserved. */
  rentals_start_at: string | null;
  /** Once all its rentals have ended. */
  rentals_ended_at: string | null;
  /** Status of the payment; null: not begun. */
  payment: string | null;
}

/** Query of `GET /v1/orders`. */
export interface OperatorOrderFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  status?: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  /** Id, slug or number of an organization. */
  org?: string;
}

/** Answer of `GET /v1/orders/{order_no}`. */
export interface OperatorOrderDetail extends OperatorOrder {
  provider: string | null;
  method: string | null;
  receipt_url: string | null;
  rental_ids: string[];
  /** Of these Macs, in the same order. */
  names: string[];
  refunds: UnsettledPayment[];
  /** Payments and refunds that operators have settled with the provider by hand, or still have to settle. */
  settlements: ManualSettlement[];
}

export interface UnsettledPayment {
  /** payment: the answer of the provider is missing or unexpected. refund: it is on its way, or refused. */
  kind: 'payment' | 'refund';
  id: string;
  /** What the payment is for. */
  of: 'order' | 'top_up';
  order_no: string;
  organization: OrganizationRef;
  provider: string;
  /** over_returned: more was returned than was charged. */
  status: string;
  /** Null: the whole charge. */
  amount_won: number | null;
  returned_won: number;
  attempts: number;
  /** How often the provider has refused it. */
  refusals: number;
  reason: string | null;
  error: string | null;
  created_at: string;
  /** Null: nothing more is tried. */
  next_attempt_at: string | null;
}

export interface ManualSettlement {
  /** The order number of the payment, or the id of the refund. */
  id: string;
  /** over_returned: more was returned than was charged. refused: the provider refuses the refund. */
  kind: 'over_returned' | 'refused';
  /** Null: the whole charge. */
  amount_won: number | null;
  created_at: string;
  /** Null: an operator must settle it with the provider. */
  settled_at: string | null;
  /** The operator; null with a time: the service saw that the money went back. */
  settled_by: string | null;
  note: string | null;
}

/** Answer of `GET /v1/waitlist`. */
export interface OperatorWaitlistPage {
  data: OperatorWaitlistEntry[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface OperatorWaitlistEntry {
  id: string;
  organization: OrganizationRef;
  tier: string;
  units: number;
  status: 'waiting' | 'notified';
  created_at: string;
  notified_at: string | null;
}

/** Query of `GET /v1/waitlist`. */
export interface OperatorWaitlistFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  tier?: string;
}

/** Answer of `GET /v1/payments`. */
export interface UnsettledPaymentPage {
  data: UnsettledPayment[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** Query of `GET /v1/payments`. */
export interface OperatorPaymentFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/audit`. */
export interface OperatorAuditPage {
  data: OperatorAuditEntry[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface OperatorAuditEntry extends AuditEntry {
  org_id: string | null;
  org_slug: string | null;
}

/** Query of `GET /v1/audit`. */
export interface OperatorAuditEntryFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
  /** Id, name or kind. */
  actor?: string;
  /** An action, or its resource: `order`. */
  action?: string;
  target?: string;
  failed?: 'true' | 'false';
  /** ISO 8601, or how long ago: 30m, 12h, 7d, 4w. */
  since?: string;
  until?: string;
  /** All entries, without pages. */
  format?: 'csv' | 'jsonl';
  /** Id, slug or number of an organization. */
  org?: string;
  /** oldest: the oldest first, without entries written after the first page; only with since and org. */
  order?: 'newest' | 'oldest';
}

/** Answer of `GET /v1/throughput`. */
export interface Throughput {
  from: string;
  to: string;
  step_s: number;
  /** 95th percentile of the waits of builds that started between the two times; null: none started. */
  wait_p95_s: number | null;
  steps: ThroughputStep[];
}

export interface ThroughputStep {
  at: string;
  /** Started in the step. */
  builds: number;
  succeeded: number;
  failed: number;
  /** Median wait of these builds. */
  wait_p50_s: number | null;
  wait_p95_s: number | null;
  /** Share of the time of Macs in which they built; null: there were none. */
  mac_use: number | null;
  /** Share of the time of slots in which they had a Mac. */
  slot_use: number | null;
}

/** Query of `GET /v1/throughput`. */
export interface OperatorGetThroughputQuery {
  /** Default: a day before `to`. */
  from?: string;
  /** Default: now. */
  to?: string;
  /** Seconds; default: 3600. 60 to 604,800. */
  step?: number;
}

/** Answer of `GET /v1/users`. */
export interface UserPage {
  data: ListedUser[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface ListedUser {
  user_id: string;
  email: string;
  name: string | null;
  operator: boolean;
  created_at: string;
}

/** Query of `GET /v1/users`. */
export interface OperatorUserFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/workspaces`. */
export interface OperatorWorkspaces {
  workspaces: OperatorWorkspace[];
}

/** Answer of `POST /v1/workspace/create` and `POST /v1/workspace/rename`. */
export interface OperatorWorkspace {
  workspace_id: string;
  name: string;
  created_at: string;
}

/** Answer of `GET /v1/organizations/{org_id}/api-keys`. */
export interface OperatorApiKeyPage {
  data: ApiKey[];
  /** `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** Query of `GET /v1/organizations/{org_id}/api-keys`. */
export interface OperatorApiKeyFilter {
  /** 1 to 200. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Answer of `GET /v1/organizations/{org_id}/credit` and `POST /v1/credit/adjust`. */
export interface OperatorCredit {
  org_id: string;
  /** Millionths of a dollar. */
  balance_micro_usd: number;
  balance_usd: string;
  /** Part of the balance that is being withdrawn. */
  reserved_micro_usd: number;
  /** The 10 latest entries. */
  entries: {
    at: string;
    kind: string;
    micro_usd: number;
    order_id: string | null;
    krw: number | null;
    reason: string | null;
  }[];
}

/** Answer of `GET /v1/settlements`. */
export interface Settlements {
  payments: ListedSettlement[];
}

export interface ListedSettlement {
  /** The order number of the payment, or the id of the refund. */
  id: string;
  /** over_returned: more was returned than was charged. refused: the provider refuses the refund. */
  kind: 'over_returned' | 'refused';
  /** Null: the whole charge. */
  amount_won: number | null;
  created_at: string;
  /** Null: an operator must settle it with the provider. */
  settled_at: string | null;
  /** The operator; null with a time: the service saw that the money went back. */
  settled_by: string | null;
  note: string | null;
  order_no: string;
}

/** Query of `GET /v1/settlements`. */
export interface OperatorSettlementFilter {
  /** Include settled ones; the newest first. */
  all?: 'true';
}

/** Answer of `GET /v1/unreadable-secrets`. */
export interface UnreadableSecrets {
  total: number;
  unreadable: {
    org_id: string | null;
    org_slug: string | null;
    /** secret, webhook or notify_url. */
    kind: string;
    /** Name of the secret, or id of the webhook or build. */
    name: string;
    reason: string;
  }[];
}

/** Answer of `GET /v1/processes`. */
export interface ControlPlaneProcesses {
  processes: ControlPlaneProcess[];
}

export interface ControlPlaneProcess {
  /** Another one after each start. */
  process_id: string;
  version: string;
  /** Newest migration that it knows. */
  schema: number;
  machine: string;
  pid: number;
  started_at: string;
  /** By the clock of the database, if several use it. */
  seen_at: string;
  /** Hosts that are connected to it. */
  connections: number;
  /** How long its main thread kept work waiting lately, 99th percentile. */
  lag_ms: number;
  /** Whether it runs the workers, which one process does for all. */
  workers: boolean;
}

export interface ChangedOrganization {
  /** Number of the organization. */
  id: number;
  org_id: string;
  name: string;
  slug: string;
  status: 'active' | 'suspended' | 'closed';
  payments_blocked: boolean;
  created_at: string;
}

/** Answer of `POST /v1/member/remove`. */
export interface RemovedMember {
  user_id: string;
  email: string;
  name: string | null;
  role: 'owner' | 'admin' | 'developer';
  /** Workspaces that the member sees: all, for owners and admins. */
  workspace_ids: string[];
  joined_at: string;
  removed: true;
}

/** Answer of `POST /v1/tier/add` and `POST /v1/tier/edit`. */
export interface Tier {
  tier: string;
  name: string;
  /** Price of one Mac for 24 hours, VAT included. */
  price_won: number;
  spec: {
    chip: string;
    cpu_cores: number;
    memory_gb: number;
    disk_gb: number;
    macos: string;
  };
  xcode_versions: string[];
  default_xcode: string | null;
  runtimes: string[];
  tools: string[];
  image: string | null;
  /** Null: no host has resolved the image yet. */
  image_digest: string | null;
  /** Values that come from the image. */
  from_image: string[];
  sales_open: boolean;
  max_days: number;
}

/** Answer of `POST /v1/host/approve`. */
export interface ApprovedHost {
  host_id: string;
  name: string;
  tier: string | null;
  status: HostStatus;
  reason: string | null;
  status_by: string | null;
  status_at: string | null;
  labels: Record<string, string>;
  /** Whether the host may serve several accounts at a time. */
  shared: boolean;
  driver: string | null;
  agent_version: string | null;
  disk_free_bytes: number | null;
  disk_low: boolean;
  /** Why it cannot create Macs; null: it can. */
  blocked: {
    code: string | null;
    message: string;
  } | null;
  connected: boolean;
  last_seen_at: string | null;
}

export interface ChangedHosts {
  hosts: {
    host_id: string;
    name: string;
    tier: string | null;
    status: HostStatus;
    reason: string | null;
    status_by: string | null;
    status_at: string | null;
    labels: Record<string, string>;
    /** Whether the host may serve several accounts at a time. */
    shared: boolean;
    driver: string | null;
    agent_version: string | null;
    disk_free_bytes: number | null;
    disk_low: boolean;
    /** Why it cannot create Macs; null: it can. */
    blocked: {
      code: string | null;
      message: string;
    } | null;
    connected: boolean;
    last_seen_at: string | null;
    /** Empty: nothing had to change, or the host was left out. */
    changes: {
      field: string;
      from: string | null;
      to: string | null;
    }[];
    /** Why the host was left out; null: it was not. */
    left_out: string | null;
    /** `left_out` as a code with values. */
    left_out_message: Message | null;
  }[];
}

/** Answer of `POST /v1/order/plan-refund` and `POST /v1/order/refund`. */
export interface OrderRefund {
  order_no: string;
  status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  /** Refunded in all. */
  refunded_won: number;
  orders: {
    order_no: string;
    kind: string;
    /** refund, or cancel of an unpaid extension. */
    action: string;
    refunded_won: number;
    /**
     * Refunded as credit; null: refunded to the payment method. US dollars with six digits after the
     * point.
     */
    returned_usd: string | null;
  }[];
  /** Rentals that end. */
  ended_rental_ids: string[];
  /** Names of their Macs, in the order of `ended_rental_ids`. */
  ended_names: string[];
}

/** Answer of `POST /v1/rental/grant`. */
export interface GrantedRentals {
  rentals: GrantedRental[];
}

export interface GrantedRental {
  rental_id: string;
  name: string;
  tier: string;
  host_id: string;
  slot_id: string;
  state: string;
  order_no: string | null;
  hours: number | null;
  amount_won: number;
  /** Null: no end. */
  ends_at: string | null;
}

/** Query of `GET /openapi.json`. */
export interface OperatorGetReferenceQuery {
  form?: 'full';
}

export interface ErrorFormat2 {
  error: ErrorContent;
}

/** Fields of particular codes stand beside. */
export interface ErrorContent {
  /** Of the error catalog; more may come. */
  code: string;
  /** For people. */
  message: string;
  /** True: the same request can succeed later. */
  retryable: boolean;
  retry_after_s: number | null;
  fault: ErrorFault;
  /** The page of the code. */
  docs: string;
  request_id: string;
  next: NextRequest[];
  /** Of the build of the request, if it failed. */
  failure?: BuildFailure;
  [name: string]: unknown;
}

/**
 * Who has to act after a failed request.
 * - `client`: the sender of the request
 * - `platform`: the service
 * - `payment`: a person, by paying
 * - `capacity`: no Mac is free
 */
export type ErrorFault = 'client' | 'platform' | 'payment' | 'capacity';

export interface ErrorFormat1 {
  error: string;
  error_detail: ErrorContent;
}

export interface ConsoleError {
  error: {
    code: string;
    message: string;
    request_id: string;
    retryable: boolean;
    details?: {
      /** Names of fields of the body or query. */
      fields?: string[];
      /** What is wrong with them. */
      problems?: FieldProblem[];
      [name: string]: unknown;
    };
  };
}

/** What is wrong with a field. */
export interface FieldProblem {
  /** Name of the field of the body or query; empty: the whole body. */
  field: string;
  /** With the names and positions in it, such as `levels.0`. */
  path: string;
  /** Identifies the sentence; null: only the text is known. */
  code: string | null;
  /** The values in the sentence, by name. */
  params: Record<string, string | number>;
  /** The sentence in English. */
  text: string;
}

export interface OperatorError {
  error: {
    code: string;
    message: string;
    request_id: string;
    retryable: boolean;
    details?: {
      /** Names of fields of the body or query. */
      fields?: string[];
      /** What is wrong with them. */
      problems?: FieldProblem[];
      /** Why the change is refused. */
      refusals?: Refusal[];
      [name: string]: unknown;
    };
  };
}

/** Why a change is refused. */
export interface Refusal {
  /** In a change of several: the one that cannot change. */
  subject: string | null;
  /** Identifies the sentence; null: only the text is known. */
  code: string | null;
  /** The values in the sentence, by name. */
  params: Record<string, string | number>;
  /** The sentence in English. */
  text: string;
}

/** A build was accepted, has started or has ended. */
export interface BuildChangedEvent {
  schema_version: 1;
  /** The same at each delivery. */
  event_id: string;
  event_type:
    | 'build.succeeded'
    | 'build.failed'
    | 'build.cancelled'
    | 'build.expired'
    | 'build.queued'
    | 'build.started'
    | 'build.completed';
  /** Within the build, from 1. */
  sequence: number;
  occurred_at: string;
  build: WebhookBuild;
  stall: null;
}

/** The build as it was when the event happened. */
export interface WebhookBuild {
  id: string;
  status: BuildStatus;
  exit_code: number | null;
  end_reason: EndReason | null;
  /** `owner/name` on the code host. */
  repo: string | null;
  /** As requested; may be abbreviated. */
  commit: string | null;
  /** The commit that was checked out. Null before that. */
  commit_sha: string | null;
  pr: number | null;
  xcode: string | null;
  /** The Mac that it runs or ran on. */
  rental_id: string | null;
  /** What the account called it then. */
  rental_name: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  queue_s: number;
  run_s: number | null;
  /** From its creation to its end, or to the event. */
  duration_s: number;
  wait_reason: WaitReason | null;
  failure: {
    /** The `reason_code` of its failure. */
    code: string;
    fault: FailureFault;
    /** From the log: text of the build, not of the service. */
    summary: string;
  } | null;
  /** For programs, with a key. */
  log_url: string;
  /** For people who are signed in. */
  console_url: string;
}

/** A build makes no progress; its status does not change. */
export interface BuildStalledEvent {
  schema_version: 1;
  /** The same at each delivery. */
  event_id: string;
  event_type: 'build.stalled';
  /** Within the build, from 1. */
  sequence: number;
  occurred_at: string;
  build: WebhookBuild;
  stall: WebhookStall;
}

export interface WebhookStall {
  /**
   * - `queued_too_long`: it has not started
   * - `no_log_output`: it runs and prints nothing
   */
  reason: 'queued_too_long' | 'no_log_output';
  threshold_s: number;
  since: string;
  last_output_at: string | null;
}

/** Something happened to a rental. */
export interface RentalEvent {
  schema_version: 1;
  event_id: string;
  /** Within the rental, order or entry, from 1. */
  sequence: number;
  occurred_at: string;
  build: null;
  stall: null;
  event_type:
    | 'rental.started'
    | 'rental.unavailable'
    | 'rental.available'
    | 'rental.ends_soon'
    | 'rental.ended'
    | 'rental.extended';
  rental: WebhookRental;
}

/** The rental as it was when the event happened. */
export interface WebhookRental {
  id: string;
  /** What the account called it then. */
  name: string;
  tier: string;
  xcode: string | null;
  /** Null: granted by the operator. */
  order_no: string | null;
  /** Total bought time; null: granted by the operator. */
  hours: number | null;
  starts_at: string;
  /** Null: no end. */
  ends_at: string | null;
  /** Why its host cannot make its Mac. */
  problem: {
    code: string;
    text: string;
  } | null;
}

/** Something happened to an order. */
export interface OrderEvent {
  schema_version: 1;
  event_id: string;
  /** Within the rental, order or entry, from 1. */
  sequence: number;
  occurred_at: string;
  build: null;
  stall: null;
  event_type: 'order.paid' | 'order.expired' | 'order.refunded';
  order: WebhookOrder;
}

/** The order as it was when the event happened. */
export interface WebhookOrder {
  order_no: string;
  kind: 'rental' | 'extension';
  status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
  tier: string | null;
  hours: number;
  units: number;
  amount_won: number;
  /** All refunds so far. */
  refunded_won: number;
  /** The Macs that it created or extends. */
  rental_ids: string[];
  /** Their names in that order; before, those asked for. */
  names: string[];
  created_at: string;
  paid_at: string | null;
  /** The page of the order, for people who are signed in. */
  pay_url: string;
}

/** Something happened to an entry of the waitlist. */
export interface WaitlistEvent {
  schema_version: 1;
  event_id: string;
  /** Within the rental, order or entry, from 1. */
  sequence: number;
  occurred_at: string;
  build: null;
  stall: null;
  event_type: 'waitlist.available';
  waitlist: WebhookWaitlistEntry;
}

export interface WebhookWaitlistEntry {
  id: string;
  tier: string;
  units: number;
  created_at: string;
}

/** The body sent to a receiver; `event_type` tells which. */
export type WebhookEvent =
  | BuildChangedEvent
  | BuildStalledEvent
  | RentalEvent
  | OrderEvent
  | WaitlistEvent
  | WebhookTestEvent;

/** Sent at registration, when the address changes, and by request. */
export interface WebhookTestEvent {
  schema_version: 1;
  /** The same at each delivery. */
  event_id: string;
  event_type: 'webhook.test';
  sequence: 0;
  occurred_at: string;
  build: null;
  stall: null;
}

/** Changes of operators: the body and answer of `POST /v1/NOUN/VERB` of the operator API, by name. */
export interface OperatorOperations {
  'org.create': {
    input: {
      /** Name of the organization. */
      name: string;
      /** Short name; default: made from the name. */
      slug?: string;
    };
    answer: {
      /** Number of the organization. */
      id: number;
      org_id: string;
      workspace_id: string;
    };
  };
  'org.suspend': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
    };
    answer: ChangedOrganization;
  };
  'org.resume': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
    };
    answer: ChangedOrganization;
  };
  'org.block-payments': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
    };
    answer: ChangedOrganization;
  };
  'org.unblock-payments': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
    };
    answer: ChangedOrganization;
  };
  'org.set-limits': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** files of uploads, in GiB. 0 to 999,999. */
      contents_gb?: number;
      /** artifacts of builds, in GiB. 0 to 999,999. */
      artifacts_gb?: number;
      /** logs of builds, in GiB. 0 to 999,999. */
      logs_gb?: number;
      /** what the account writes into the database, in GiB. 0 to 999,999. */
      records_gb?: number;
      /** how long logs are kept, in days. 0 to 999,999. */
      logs_days?: number;
      /** how long builds and events are kept, in days. 0 to 999,999. */
      builds_days?: number;
      /** open long polls and streams. 0 to 999,999,999. */
      parked_requests?: number;
      /** upload requests at the same time. 0 to 999,999,999. */
      concurrent_uploads?: number;
      /** requests of all keys together per minute. 0 to 999,999,999. */
      requests_per_minute?: number;
      /** Reset all other limits to their defaults. */
      reset?: boolean;
    };
    answer: {
      org_id: string;
      /** Bytes, ms or a number, by name. */
      changed_limits: Record<string, number>;
    };
  };
  'user.create': {
    input: {
      /** Address with which the person signs in. */
      email: string;
      /** The password. */
      password: string;
      /** Name of the person. */
      name?: string;
      /** Organization of which the person becomes a member. */
      org?: string;
      /** Role in that organization. */
      role?: 'owner' | 'admin' | 'developer';
      /** Workspaces that a developer sees; default: the organization's first one. */
      workspaces?: string[];
      /** The person runs the service: sees hosts and every organization. */
      operator?: boolean;
    };
    answer: {
      user_id: string;
      email: string;
    };
  };
  'user.set-password': {
    input: {
      /** Address of the person. */
      email: string;
      /** The password. */
      password: string;
    };
    answer: {
      user_id: string;
      email: string;
    };
  };
  'user.reset-password': {
    input: {
      /** Address of the person. */
      email: string;
    };
    answer: {
      user_id: string;
      email: string;
      reset_url: string;
      expires_at: string;
    };
  };
  'user.end-sessions': {
    input: {
      /** Address of the person. */
      email: string;
    };
    answer: {
      user_id: string;
      email: string;
      /** Number of sessions. */
      ended: number;
    };
  };
  'user.set-workspaces': {
    input: {
      /** Address of the developer. */
      email: string;
      /** Organization: org_…, slug or number. */
      org: string;
      /** Ids; empty: none. */
      workspaces: string[];
    };
    answer: {
      user_id: string;
      email: string;
      workspace_ids: string[];
    };
  };
  'user.remove-second-factors': {
    input: {
      /** Address of the person. */
      email: string;
    };
    answer: {
      user_id: string;
      email: string;
      /** False: two-step sign-in was off. */
      removed: boolean;
    };
  };
  'member.invite': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Address of the person. */
      email: string;
      /** Role in the organization. */
      role?: 'owner' | 'admin' | 'developer';
      /** Workspaces that a developer sees; default: the organization's first one. */
      workspaces?: string[];
    };
    answer: {
      id: string;
      email: string;
      accept_url: string;
      expires_at: string;
    };
  };
  'member.set': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Address of the person. */
      email: string;
      /** New role. */
      role?: 'owner' | 'admin' | 'developer';
      /** Ids; empty: none. */
      workspaces?: string[];
    };
    answer: Member;
  };
  'member.remove': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Address of the person. */
      email: string;
    };
    answer: RemovedMember;
  };
  'workspace.create': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Name, unique in the organization. */
      name: string;
    };
    answer: OperatorWorkspace;
  };
  'workspace.rename': {
    input: {
      /** Id of the workspace. */
      workspace_id: string;
      /** Name, unique in the organization. */
      name: string;
    };
    answer: OperatorWorkspace;
  };
  'workspace.remove': {
    input: {
      /** Id of the workspace. */
      workspace_id: string;
    };
    answer: {
      workspace_id: string;
      removed: true;
    };
  };
  'key.create': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Name that says what the key is for. */
      name: string;
      /** Any of read, build, manage. */
      levels: ('read' | 'build' | 'manage')[];
      /** Address ranges from which it can be used; default: all. */
      cidrs?: string[];
      /** When it expires, ISO 8601; default: never. */
      expires?: string;
      /** Its workspace; default: the organization's first one. */
      workspace?: string;
    };
    answer: {
      key: string;
      key_id: string;
    };
  };
  'key.revoke': {
    input: {
      /** Id of the key. */
      key_id: string;
    };
    answer: {
      key_id: string;
      revoked: true;
    };
  };
  'tier.add': {
    input: {
      /** Id of the tier. */
      tier: string;
      /** Name that customers see. */
      name?: string;
      /** Price of one Mac for 24 hours, VAT included. */
      price_won?: number;
      /** E.g. "Apple M4". */
      chip?: string;
      /** Of one Mac. */
      cpu_cores?: number;
      /** Of one Mac. */
      memory_gb?: number;
      /** Of one Mac. */
      disk_gb?: number;
      /** Of one Mac; auto: of the image. */
      macos?: string;
      /** Versions that can be selected; auto: those of the image. */
      xcode?: string[] | 'auto';
      /** Default: the last of them, or the newest stable one of the image. */
      default_xcode?: string;
      /** Simulator runtimes that can be selected; auto: those of the image. */
      runtimes?: string[] | 'auto';
      /** Tools that can be selected; auto: those of the image. */
      tools?: string[] | 'auto';
      /** Image from which hosts create Macs; its tag is resolved whenever the image is set. */
      image?: string;
      /** Whether it can be ordered. */
      sales_open?: boolean;
      /** Longest bought time of one Mac. */
      max_days?: number;
    };
    answer: Tier;
  };
  'tier.edit': {
    input: {
      /** Id of the tier. */
      tier: string;
      /** Name that customers see. */
      name?: string;
      /** Price of one Mac for 24 hours, VAT included. */
      price_won?: number;
      /** E.g. "Apple M4". */
      chip?: string;
      /** Of one Mac. */
      cpu_cores?: number;
      /** Of one Mac. */
      memory_gb?: number;
      /** Of one Mac. */
      disk_gb?: number;
      /** Of one Mac; auto: of the image. */
      macos?: string;
      /** Versions that can be selected; auto: those of the image. */
      xcode?: string[] | 'auto';
      /** Default: the last of them, or the newest stable one of the image. */
      default_xcode?: string;
      /** Simulator runtimes that can be selected; auto: those of the image. */
      runtimes?: string[] | 'auto';
      /** Tools that can be selected; auto: those of the image. */
      tools?: string[] | 'auto';
      /** Image from which hosts create Macs; its tag is resolved whenever the image is set. */
      image?: string;
      /** Whether it can be ordered. */
      sales_open?: boolean;
      /** Longest bought time of one Mac. */
      max_days?: number;
    };
    answer: Tier;
  };
  'host.enroll': {
    input: {
      /** Name of the host; default: the machine's name. */
      name?: string;
      /** Tier of its Macs; without it the host waits for approval. */
      tier?: string;
      /** Macs that the host may have at a time. */
      slots?: number;
      /** Labels of the host. */
      labels?: Record<string, string>;
      /** For several hosts; needs `uses` and `until`. */
      reusable?: boolean;
      /** How many hosts a reusable token enrolls. */
      uses?: number;
      /** When a reusable token expires: ISO 8601, or from now: 12h, 7d, 4w. */
      until?: string;
    };
    answer: {
      /** Shown once. */
      token: string;
      id: string;
      uses: number;
      expires_at: string;
    };
  };
  'host.token.revoke': {
    input: {
      /** Id of the token. */
      id: string;
    };
    answer: EnrollmentToken;
  };
  'host.approve': {
    input: {
      /** Code that the machine shows. */
      code?: string;
      /** Instead of a code: a pending host, by id or name. */
      host?: string;
      /** Tier of its Macs; without it the machine becomes a pending host. */
      tier?: string;
      /** Macs that the host may have at a time (with a code; default: 2). */
      slots?: number;
      /** With a code; default: the machine's name. */
      name?: string;
      /** Labels of the host. */
      labels?: Record<string, string>;
    };
    answer: ApprovedHost;
  };
  'host.drain': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Shown in host list until the host is undrained. */
      reason?: string;
    };
    answer: ChangedHosts;
  };
  'host.cordon': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Shown in host list until the host is undrained. */
      reason?: string;
    };
    answer: ChangedHosts;
  };
  'host.undrain': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
    };
    answer: ChangedHosts;
  };
  'host.remove': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Needed to remove more than one host, or hosts that are not named. */
      confirmed?: boolean;
    };
    answer: ChangedHosts;
  };
  'host.set': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Absent fields stay unchanged. */
      set: {
        /** Tier of its Macs; changes only while none is rented. */
        tier?: string;
        /** Macs that the host may have at a time; existing Macs stay. */
        slots?: number;
        /** Whether it may serve several accounts at a time. */
        shared?: boolean;
        /** Labels to set; null removes one; others stay. */
        labels?: Record<string, string | null>;
        /** True: a second agent no longer uses the credential of the host. */
        conflict_is_over?: true;
      };
    };
    answer: ChangedHosts;
  };
  'host.move-to': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Address, such as https://macs.example; null: hosts that have not moved yet stay. */
      url: string | null;
    };
    answer: ChangedHosts;
  };
  'host.upgrade': {
    input: {
      /** Ids, or names of single hosts. */
      hosts?: string[];
      /** All hosts. */
      all?: boolean;
      /** Hosts of this tier. */
      tier?: string;
      /** Hosts that have all of these labels. */
      labels?: Record<string, string>;
      /** Version, also an older one (default: the newest package of the service). */
      to?: string;
      /** Hosts that go first and prove the version before the others follow. */
      canary?: number;
    };
    answer: {
      upgrade: Rollout;
    };
  };
  'host.upgrade.cancel': {
    input: Record<string, unknown>;
    answer: {
      upgrade: Rollout;
    };
  };
  'image.pull': {
    input: {
      /** Tier whose image is fetched. */
      tier: string;
      /** Only this host of the tier, by id or name (default: all). */
      host?: string;
    };
    answer: {
      tier: string;
      /** Ids of the hosts. */
      hosts: string[];
    };
  };
  'notices.test': {
    input: Record<string, unknown>;
    answer: {
      notice: OperatorNotice;
    };
  };
  'order.plan-refund': {
    input: {
      /** Number of the order. */
      order_no: string;
    };
    answer: OrderRefund;
  };
  'order.refund': {
    input: {
      /** Number of the order. */
      order_no: string;
      /** Fails if the refund would be another amount. */
      expect_won?: number;
    };
    answer: OrderRefund;
  };
  'order.cancel': {
    input: {
      /** Number of the order. */
      order_no: string;
    };
    answer: {
      order_no: string;
      status: 'awaiting_payment' | 'paid' | 'provisioning' | 'ready' | 'expired' | 'canceled';
    };
  };
  'payment.settle': {
    input: {
      /** Order number of the payment, or id of the refund. */
      id: string;
      /** How it was settled. */
      note: string;
    };
    answer: {
      id: string;
      kind: 'over_returned' | 'refused';
      order_no: string;
      note: string;
    };
  };
  'credit.adjust': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** Millionths of a dollar; negative: credit is taken away. -1000000000000 to 1,000,000,000,000. */
      micro_usd: number;
      /** Shown to the organization. */
      reason: string;
    };
    answer: OperatorCredit;
  };
  'rental.grant': {
    input: {
      /** Organization: org_…, slug or number. */
      org: string;
      /** On any host of this tier. */
      tier?: string;
      /** On this host only, by id or name. */
      host?: string;
      /** Macs. */
      units?: number;
      /** When the rentals end, ISO 8601. */
      until?: string;
      /** Until `rental end`; the default. */
      forever?: boolean;
    };
    answer: GrantedRentals;
  };
  'rental.end': {
    input: {
      /** Id of the rental, or the name of its Mac. */
      rental_id: string;
      /** The organization that has it: org_…, slug or number. Needed if several have a Mac of this name. */
      org?: string;
    };
    answer: {
      rental_id: string;
      name: string;
      ended: true;
    };
  };
  'secrets.rotate-key': {
    input: Record<string, unknown>;
    answer: {
      key_id: string;
      /** Values encrypted with the new key. */
      resealed: number;
      /** Values that cannot be decrypted; they stay as they are. */
      unreadable: number;
    };
  };
}
