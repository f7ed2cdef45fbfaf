// The shapes of the agent API (family A) and of the runner API's files (family B), as the service sends them.
// Money is integer won, VAT included; times are ISO 8601 strings; names ending in _s are seconds.

/** Why a request failed, in terms of who can mend it. */
export type ErrorFault = 'client' | 'platform' | 'payment' | 'capacity';

/** A request that the service suggests next; method, path and body can be sent as they stand. */
export interface NextRequest {
  action: string;
  method: string;
  /** The whole path from the site's root. */
  path: string;
  body?: Record<string, unknown>;
}

/** `GET /me` and `GET /account`. */
export interface Me {
  account: Account & { org_id: string; payments_blocked: boolean };
  key: {
    id: string;
    name: string;
    prefix: string;
    levels: KeyLevel[];
    expires_at: string | null;
    cidrs: string[];
  };
  /** The workspace that the key belongs to. */
  workspace_id: string;
  scopes: string[];
  limits: {
    requests_per_minute: number;
    pending_orders: number;
    concurrent_builds: number;
    queued_builds: number;
  };
  remaining_requests: number;
  remaining_resets_at: string;
}

export type KeyLevel = 'read' | 'build' | 'manage';

export interface Account {
  id: number;
  name: string | null;
  slug: string | null;
  status: string;
}

/** `GET /catalog`. */
export interface Catalog {
  tiers: CatalogTier[];
}

export interface CatalogTier {
  tier: string;
  name: string;
  price_won: number;
  period_hours: number;
  spec: { chip: string; cpu_cores: number; memory_gb: number; disk_gb: number; macos: string };
  xcode_versions: string[];
  default_xcode: string | null;
  runtimes: string[];
  tools: string[];
  /** Macs that could be ordered now. */
  available_now: number;
  sales_open: boolean;
  max_days: number;
  waitlist: WaitlistEntry[];
}

export interface WaitlistEntry {
  id: string;
  tier: string;
  units: number;
  status: 'waiting' | 'notified' | 'cancelled';
  position: number | null;
  created_at: string;
  notified_at: string | null;
}

/** `GET /pool`. */
export interface Pool {
  tiers: {
    tier: string;
    total: number;
    free: number;
    reserved: number;
    in_use: number;
    waiting_units: number;
  }[];
  queue: { running_count: number; queued_count: number };
}

export type MacState = 'reserved' | 'preparing' | 'ready' | 'building' | 'resetting' | 'updating';

/** A rented Mac, as the rental list and the status show it. */
export interface AgentMac {
  rental_id: string;
  tier: string;
  xcode: string | null;
  state: MacState;
  starts_at: string | null;
  ends_at: string | null;
  remaining_s: number;
  can_extend: boolean;
  max_extend_days: number;
  quote_hint: QuoteHint;
}

export interface QuoteHint {
  days: 1;
  amount_won: number;
}

export interface Advice {
  kind: 'extend_recommended' | 'expiring_soon' | 'queue_backlog' | 'no_active_mac';
  rental_id?: string;
  remaining_s?: number;
  reason?: string;
  quote_hint?: QuoteHint;
  queued_count?: number;
  active_macs?: number;
  next?: NextRequest[];
}

/** `GET /status`. */
export interface AgentStatus {
  account: Account;
  plan: { kind: 'daily_rental'; active_macs: number; tiers: string[] };
  macs: AgentMac[];
  advice: Advice[];
  queue: AgentQueue;
  last_builds: Build[];
}

/** `GET /queue`: the calling account's running and waiting builds. */
export interface AgentQueue {
  running_count: number;
  queued_count: number;
  estimate_basis: 'timeout_budget';
  running: Build[];
  queued: Build[];
}

export type BuildStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled';

export type EndReason =
  | 'succeeded'
  | 'exit_nonzero'
  | 'timeout'
  | 'platform_error'
  | 'cancelled_by_user'
  | 'rental_ended'
  | 'queue_timeout'
  | 'pinned_mac_ended'
  | 'no_mac_left';

export type WaitReason =
  | 'mac_busy'
  | 'mac_preparing'
  | 'mac_in_maintenance'
  | 'pinned_mac_busy'
  | 'xcode_unavailable'
  | 'waiting_for_rental'
  | 'concurrency_limit';

/** A build (AgentBuild). */
export interface Build {
  id: string;
  status: BuildStatus;
  state: BuildStatus;
  repo: string | null;
  repo_url: string | null;
  ref: string | null;
  pr: number | null;
  commit: string | null;
  commit_sha: string | null;
  /** The Mac the build is assigned to. */
  rental_public_id: string | null;
  exit_code: number | null;
  queue_position: number | null;
  fifo_position: number;
  /** Upper bounds from the timeout budgets before it, not expectations. */
  estimated_wait_s: number | null;
  estimated_start_at: string | null;
  timings: {
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
    queue_s: number;
    run_s: number | null;
  };
  failure: BuildFailure | null;
  script: string;
  xcode: string | null;
  timeout_min: number;
  /** 1 goes before 0. */
  priority: number;
  clean_tree: boolean;
  upload_id: string | null;
  wait_reason: WaitReason | null;
  end_reason: EndReason | null;
  attempt: number;
  /** The Mac it was asked to run on. */
  pinned_rental_id: string | null;
  queue_until_rental: boolean;
  /** When its cancellation was asked for. */
  stop_requested_at: string | null;
  /** What did not keep it from being accepted, but may surprise. */
  warnings: string[];
  /** What the code host has been told about the commit, and why it could not be told more. */
  commit_status: { state: 'pending' | 'success' | 'failure' | 'error' | null; error: string | null } | null;
}

export interface BuildFailure {
  category: 'customer' | 'platform' | 'unknown';
  fault: string;
  step: string;
  summary: string;
  log_url: string;
  reason_code?: string;
  suggestion?: string;
  /** First and last line of the excerpt in the full log, 1-based and inclusive. */
  log_excerpt_lines?: number[] | null;
  location?: { file: string; line: number; message: string } | null;
}

/** A new build's answer; `notify.secret` signs what is sent to `notify_url` and is shown only here. */
export interface CreatedBuild extends Build {
  notify?: { url: string; secret: string };
}

/** Body of `POST /builds`: a script and exactly one source. */
export interface BuildRequest {
  script: string;
  upload_id?: string;
  repo?: string;
  repo_url?: string;
  ref?: string;
  /** 7 to 40 hexadecimal digits. */
  commit?: string;
  pr?: number;
  xcode?: string;
  /** Pins the build to one Mac. */
  rental_id?: string;
  /** 1 to 360. */
  timeout_min?: number;
  priority?: 0 | 1;
  clean_tree?: boolean;
  queue_until_rental?: boolean;
  notify_url?: string;
}

/** Query of `GET /builds`. */
export interface BuildFilter {
  status?: BuildStatus | 'active';
  repo?: string;
  pr?: number;
  rental_id?: string;
  /** ISO time or epoch milliseconds. */
  from?: string | number;
  to?: string | number;
  q?: string;
  before?: string;
  /** 1 to 200. */
  limit?: number;
}

export interface BuildPage {
  builds: Build[];
  /** `before` of the next, older page; null on the last one. */
  next_before: string | null;
}

/** One piece of a build's log; offsets count bytes of the stored log. */
export interface LogSegment {
  build_id: string;
  offset: number;
  next_offset: number;
  data: string;
  /** True when the build has ended and nothing follows. */
  eof: boolean;
  status: BuildStatus;
}

export interface ManifestFile {
  /** Relative, `/` between parts, NFC. */
  path: string;
  /** 64 lower-case hexadecimal digits. */
  sha256: string;
  size: number;
  /** 420 (rw-r--r--) or 493 (rwxr-xr-x). */
  mode: 420 | 493;
}

export interface UploadManifest {
  /** 1 to 64 characters of letters, digits, underscore, dot and hyphen. */
  project: string;
  files: ManifestFile[];
}

/** An upload: what was announced, and what the service still needs. */
export interface Upload {
  id: string;
  project: string;
  files: number;
  total_bytes: number;
  /** SHA-256 values that are still to be sent. */
  missing: string[];
}

export interface CreatedUpload extends Upload {
  missing_bytes: number;
}

export interface UploadStatus extends Upload {
  ready: boolean;
}

export interface TarUpload {
  upload_id: string;
  id: string;
  project: string;
  files: number;
  total_bytes: number;
  ready: boolean;
}

export interface Secret {
  name: string;
  created_at: string;
  updated_at: string;
  /** False when the value is too short to be masked in logs. */
  masked?: boolean;
  warning?: string | null;
}

/** Query of `GET /errors`. */
export interface ErrorFilter {
  kind?: 'api' | 'build';
  fault?: string;
  code?: string;
  /** ISO time or epoch milliseconds. */
  since?: string | number;
  /** Only what the calling key itself caused. */
  key?: 'self';
  limit?: number;
  before?: string;
}

export interface RecordedError {
  id: string;
  kind: 'api' | 'build';
  at: string;
  code: string;
  http_status: number | null;
  fault: string;
  message: string;
  request_id: string | null;
  method: string | null;
  path: string | null;
  key_name: string | null;
  build_id: string | null;
  reason_code: string | null;
}

export interface ErrorPage {
  errors: RecordedError[];
  next_before: string | null;
}

/** A change of a rented Mac (reset, Xcode, set-up), done in the background. */
export interface Job {
  id: string;
  job_id: string;
  rental_id: string;
  kind: 'provision' | 'reset' | 'xcode' | 'setup';
  status: 'queued' | 'running' | 'done' | 'failed';
  when: string | null;
  error: string | null;
  message: string | null;
  progress: { step: string; percent: number } | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** An uploaded source or a build's artifact. */
export interface WorkspaceFile {
  id: string;
  kind: 'upload' | 'artifact';
  name: string;
  path?: string | null;
  bytes: number;
  /** The build the artifact belongs to. */
  job_id?: string | null;
  created_at: string;
  expires_at?: string | null;
  in_use?: boolean;
  download_url?: string | null;
}

export interface FileFilter {
  workspace_id?: string;
  kind?: 'upload' | 'artifact';
  job_id?: string;
  /** 1 to 100. */
  limit?: number;
  cursor?: string;
}

export interface FilePage {
  data: WorkspaceFile[];
  next_cursor: string | null;
  /** Size of all live files of the workspace. */
  total_bytes: number;
}

/** A signed address to GET without authentication, valid 15 minutes. */
export interface ArtifactAddress {
  url: string;
  expires_at: string;
}
