// Every limit of the service: how much a user or a host may send or gets, how many of something there may be, and how
// long something lasts or is kept. Each can be set by CIDERMILL_<NAME IN CAPITALS>; docs/configuration.md lists them with
// these meanings.
//
// Constants that nobody would tune stay where they are used: sizes of buffers, pieces and batches, pauses of loops,
// lengths to which texts are cut for display, thresholds of advice, and limits that a format, a file system or another
// service sets.

const limit = (fallback: number, meaning: string) => ({ fallback, meaning });

/** Sizes in bytes, times in the unit that the name ends in. */
export const limitTable = {
  requests_per_minute: limit(300, 'requests per API key and minute'),
  failed_keys_per_minute: limit(1_200, 'requests with an invalid key per client address and minute'),
  rate_limit_callers: limit(
    20_000,
    'keys or addresses whose requests are counted at the same time, per kind of limit; of more the oldest are forgotten',
  ),
  pending_orders: limit(3, 'unpaid orders of an account'),
  concurrent_builds: limit(20, 'running builds of an account'),
  queued_builds: limit(200, 'queued builds of an account'),
  estimated_builds: limit(200, 'queued builds of an account whose start is estimated'),
  history_builds: limit(10, 'ended builds of the same project and script that estimates use'),

  json_body_bytes: limit(1024 * 1024, 'size of a JSON body'),
  script_bytes: limit(256 * 1024, 'size of a script'),
  repo_url_chars: limit(2048, 'characters of a `repo_url`'),
  ref_chars: limit(255, 'characters of a `ref`'),
  build_timeout_min_max: limit(360, 'largest `timeout_min`, minutes'),
  build_timeout_min_default: limit(60, '`timeout_min` if none is given, minutes'),
  queue_look_ms: limit(5_000, 'how often the queue is checked, also without a wake-up'),
  build_queue_expiry_ms: limit(24 * 3_600_000, 'a queued build expires after this time'),
  priority_ageing_ms: limit(60 * 60_000, 'a queued build of priority 0 counts as priority 1 after this time'),
  stall_queued_ms: limit(15 * 60_000, 'a build that is queued for this long is stalled'),
  stall_silence_ms: limit(10 * 60_000, 'a running build without output for this long is stalled'),
  stall_confirm_ms: limit(
    10_000,
    'silence must also last this long of real time, so that a jump of the clock is no stall',
  ),
  output_noted_ms: limit(1_000, 'how often the time of the last output is stored'),
  output_report_ms: limit(10_000, 'how often a host reports the time of the last output'),
  kill_grace_ms: limit(10_000, 'time between SIGTERM and SIGKILL of a stopped build'),
  stop_unconfirmed_ms: limit(60_000, 'a stopped build that its host does not confirm ends after this time'),
  list_limit_max: limit(200, 'largest `limit` of a list'),
  list_limit_default: limit(50, '`limit` of a list if none is given'),
  search_text_chars: limit(100, 'characters of a search text in lists'),
  last_builds: limit(10, 'builds in `GET /status`'),
  start_orders: limit(5, 'orders of each status in a start document'),
  build_warnings: limit(100, 'warnings of a build'),
  build_warning_chars: limit(600, 'characters of a warning from a host; longer ones are cut'),
  build_page_lines: limit(60, "last log lines on a build's page"),
  failure_lines: limit(40, 'log lines around the cause in a failure report'),
  failure_context_lines: limit(3, 'of these, lines before and after the cause'),
  failure_tail_lines: limit(15, 'last log lines in a failure report'),
  failure_line_chars: limit(500, 'characters of a line in a failure report; longer ones are cut'),
  failure_artifacts: limit(20, 'artifacts in a failure report'),
  long_poll_s: limit(60, 'largest `wait_s`, seconds'),
  access_check_ms: limit(
    500,
    'how often an open request (long poll, stream) is checked against its key, session and account',
  ),

  log_bytes: limit(64 * 1024 * 1024, "size of a build's log; the middle of a longer one is omitted"),
  log_tail_bytes: limit(256 * 1024, 'size of the end that is kept of such a log'),
  log_segment_bytes: limit(256 * 1024, 'size of a log segment'),
  log_tail_lines: limit(10_000, 'largest `tail`, lines'),
  log_page_lines: limit(10_000, 'largest number of lines per page'),
  log_page_matches: limit(1_000, 'largest number of matches per page'),
  log_page_default: limit(1_000, 'lines or matches per page if no number is given'),
  log_page_bytes: limit(4 * 1024 * 1024, 'size of a page of lines'),
  log_line_bytes: limit(16 * 1024, 'lines are cut at this length in pages'),
  log_search_chars: limit(200, 'characters of a text to search for'),
  log_searches: limit(4, 'concurrent searches in logs'),
  open_logs: limit(256, 'logs of builds that are kept open'),
  log_filter_bytes: limit(
    8 * 1024,
    'bytes of the search index for each 64 KiB of a log; 0: searches read whole logs',
  ),
  log_segment_wait_s: limit(60, 'largest `wait_s` of a log segment, seconds'),
  log_stream_wait_s: limit(3600, 'largest `wait_s` of a log stream, seconds'),
  failure_scans: limit(
    512,
    'running builds whose logs are searched while they grow; others are searched at the end',
  ),

  upload_files: limit(100_000, 'files of an upload'),
  upload_folders: limit(100_000, 'folders of an upload'),
  upload_bytes: limit(10 * 1024 ** 3, 'size of an upload, unpacked'),
  upload_file_bytes: limit(2 * 1024 ** 3, 'size of a file'),
  upload_path_bytes: limit(1024, 'length of a path'),
  manifest_bytes: limit(64 * 1024 ** 2, 'size of a manifest, unpacked'),
  gzip_ratio: limit(250, 'largest ratio of unpacked to packed bytes'),
  gzip_ratio_from_bytes: limit(64 * 1024 ** 2, 'unpacked size from which the ratio is checked'),
  upload_idle_ms: limit(60_000, 'an upload without new bytes for this long is aborted'),
  upload_total_ms: limit(3_600_000, 'longest duration of an upload request'),
  upload_unused_ms: limit(24 * 3_600_000, 'an upload without a build is deleted after this time'),
  upload_used_ms: limit(7 * 24 * 3_600_000, 'an upload is deleted this long after its last build'),
  blob_collection_ms: limit(6 * 3_600_000, 'how often unreferenced contents are deleted'),
  orphan_files_ms: limit(
    24 * 3_600_000,
    'content files without a database row are deleted when they are older than this',
  ),

  disk_reserve_bytes: limit(
    512 * 1024 ** 2,
    'disk space that uploads and artifacts leave free for the database and logs',
  ),

  secrets: limit(100, 'secrets of an account'),
  secret_bytes: limit(64 * 1024, 'size of a secret'),
  secrets_total_bytes: limit(
    512 * 1024,
    "total size of an account's secrets; all of them are in a build's environment",
  ),

  artifact_files: limit(10_000, 'artifacts of a build'),
  artifacts_per_request: limit(1_000, 'artifacts of one request for several'),
  artifact_bytes: limit(10 * 1024 ** 3, "total size of a build's artifacts"),
  artifact_kept_ms: limit(30 * 24 * 3_600_000, 'artifacts are deleted after this time'),
  artifact_address_ms: limit(15 * 60_000, 'validity of a signed download address'),
  files_page_max: limit(100, 'largest `limit` of file lists'),
  files_page_default: limit(20, '`limit` of file lists if none is given'),

  errors_kept: limit(10_000, 'API errors kept per account'),
  errors_waiting: limit(5_000, 'API errors waiting to be written; further ones are dropped'),

  idempotency_ms: limit(24 * 3_600_000, 'how long an answer is kept for its Idempotency-Key'),
  idempotency_key_chars: limit(200, 'length of an Idempotency-Key'),

  enrolment_ms: limit(15 * 60_000, 'validity of an enrollment token'),
  host_slots: limit(128, 'slots of a host'),
  host_lost_after_ms: limit(10 * 60_000, 'a host that is disconnected for this long is lost'),
  log_lost_after_ms: limit(5 * 60_000, 'the rest of a log that does not arrive within this time is given up'),
  ready_hosts_wait_ms: limit(
    10_000,
    '`/readyz` waits this long for hosts that were connected before the restart',
  ),
  heartbeat_ms: limit(10_000, 'interval of heartbeats on the link'),
  link_hello_ms: limit(10_000, 'a new connection must identify its host within this time'),
  link_goodbye_ms: limit(2_000, 'time for a closing connection to finish'),
  link_renew_ms: limit(60_000, "how often the time of a connected host's last message is stored"),
  link_message_bytes: limit(32 * 1024 * 1024, 'size of a link message'),
  link_request_bytes: limit(16 * 1024 * 1024, "size of a host's request for contents"),
  link_pending_bytes: limit(16 * 1024 * 1024, 'unprocessed bytes of a connection above which reading pauses'),
  link_append_bytes: limit(1024 * 1024, 'log bytes per append'),
  link_builds: limit(256, 'builds with output per connection'),

  webhooks: limit(5, 'webhooks of an account'),
  webhook_timeout_ms: limit(10_000, 'time limit of a delivery attempt'),
  webhook_lookup_ms: limit(3_000, 'time limit of a name lookup'),
  webhook_response_bytes: limit(4 * 1024, "bytes kept of a receiver's answer"),
  webhook_retry_after_ms: limit(3_600_000, 'longest `Retry-After` that is honored'),
  webhook_grace_s: limit(
    24 * 3_600,
    'validity of the previous secret after a rotation, if none is given, seconds',
  ),
  webhook_grace_s_max: limit(7 * 24 * 3_600, 'largest such validity, seconds'),
  webhook_attempts: limit(512, 'concurrent delivery attempts'),
  webhook_attempts_troubled: limit(128, 'of these, for receivers whose last attempt failed'),
  webhook_attempts_per_receiver: limit(8, 'concurrent attempts per receiver'),
  webhook_claim_ms: limit(60_000, 'an attempt without a result is repeated after this time'),
  webhook_redeliveries: limit(1_000, 'deliveries of one redelivery request'),
  webhook_deliveries_kept_ms: limit(30 * 24 * 3_600_000, 'deliveries are deleted after this time'),
  commit_status_timeout_ms: limit(10_000, 'time limit of a request to the code host'),
  commit_statuses_at_once: limit(16, 'concurrent requests to the code host'),

  max_rental_days: limit(30, 'longest rental, with extensions, days'),
  order_units: limit(100, 'Macs of an order'),
  order_start_ahead_ms: limit(90 * 24 * 3_600_000, 'how far in the future an order may start'),
  order_start_past_ms: limit(5 * 60_000, 'a start this far in the past counts as now'),
  pay_link_ms: limit(30 * 60_000, 'validity of a pay link; Macs are held for this time'),
  provision_give_up_ms: limit(60 * 60_000, 'a Mac that is not ready after this time is made on another host'),
  provision_attempts: limit(3, 'hosts that try to make a Mac before its order is canceled'),
  repair_delay_ms: limit(
    60_000,
    'delay before a Mac is repaired again when a repair did not help; doubled each further time',
  ),
  repair_delay_max_ms: limit(30 * 60_000, 'longest such delay'),
  audit_every_ms: limit(60_000, 'interval of the availability audit'),
  audit_grace_ms: limit(5 * 60_000, 'time for a host to reach the desired state before the audit reports it'),
  waitlist_offer_ms: limit(60 * 60_000, 'how long announced Macs are not announced to others'),
  extension_deadline_ms: limit(10 * 60_000, 'extensions must be ordered this long before the end'),
  reset_every_ms: limit(10 * 60_000, 'shortest time between new VMs of a Mac'),
  resets_per_day: limit(20, 'new VMs of a Mac per day'),
  macs_per_request: limit(1_000, 'Macs of a request that changes several'),
  job_give_up_ms: limit(2 * 3_600_000, 'a job that does not finish within this time fails'),

  session_idle_ms: limit(12 * 3_600_000, 'a session ends this long after its last use'),
  session_absolute_ms: limit(30 * 24 * 3_600_000, 'longest life of a session'),
  keys: limit(500, 'API keys of an account'),
  key_cidrs: limit(50, 'address ranges of a key'),
  name_chars: limit(100, 'characters of a name'),
  first_owner_ms: limit(24 * 3_600_000, "validity of the first owner's token"),
  sessions_per_person: limit(50, 'sessions of a person'),
  sign_in_failures_per_minute: limit(10, 'failed sign-ins per address and e-mail'),
  sign_in_failures_per_minute_address: limit(50, 'failed sign-ins per address'),
  sign_in_failures_per_minute_email: limit(30, 'failed sign-ins per e-mail'),
  password_chars_min: limit(8, 'fewest characters of a password'),
  password_bytes: limit(1_024, 'size of a password'),
  password_checks_at_once: limit(2, 'concurrent password checks'),
  password_checks_waiting: limit(100, 'password checks that may wait'),
  payment_timeout_ms: limit(60_000, 'time limit of a request to the payment provider'),
  payment_fetch_ms: limit(5_000, 'first interval at which an unsettled payment is fetched; it doubles'),
  payment_poll_ms: limit(60_000, 'interval at which an open payment is fetched'),
  payment_fetch_max_ms: limit(3_600_000, 'longest such interval'),
  payment_confirming_ms: limit(30 * 60_000, "an order waits this long for a payment's outcome"),
  payment_watch_ms: limit(
    24 * 3_600_000,
    'how long an open payment is fetched after its pay link has expired',
  ),
  payment_recheck_ms: limit(
    24 * 3_600_000,
    'first interval at which a settled payment is fetched again; it doubles',
  ),
  payment_recheck_total_ms: limit(180 * 24 * 3_600_000, 'how long settled payments are fetched again'),
  payment_cancel_refusals: limit(5, 'attempts of a refund that the provider refuses'),
  mail_timeout_ms: limit(30_000, 'time limit of a mail transfer'),
  mail_attempts: limit(12, 'attempts to send a mail'),
  mail_retry_ms: limit(60_000, 'time before a mail is sent again; it doubles'),
  mail_retry_max_ms: limit(6 * 3_600_000, 'longest such time'),
  mail_kept_ms: limit(7 * 24 * 3_600_000, 'sent mails are deleted after this time'),
};

export type LimitName = keyof typeof limitTable;
export type Limits = Record<LimitName, number>;

/** Every name, in the order of the table. */
export const limitNames = Object.keys(limitTable) as LimitName[];

export const defaultLimits = Object.fromEntries(
  limitNames.map((name) => [name, limitTable[name].fallback]),
) as Limits;
