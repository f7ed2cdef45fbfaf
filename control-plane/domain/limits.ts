// Every limit of the service, in one place. Each can be set by CIDERMILL_<NAME IN CAPITALS>.

/** Sizes in bytes, times in the unit that the name ends in. */
export const defaultLimits = {
  requests_per_minute: 300,
  failed_keys_per_minute: 1_200,
  pending_orders: 3,
  concurrent_builds: 20,
  queued_builds: 200,
  estimated_builds: 200,

  json_body_bytes: 1024 * 1024,
  script_bytes: 256 * 1024,
  build_timeout_min_max: 360,
  build_timeout_min_default: 60,
  build_queue_expiry_ms: 24 * 3_600_000,
  priority_ageing_ms: 60 * 60_000,
  stall_queued_ms: 15 * 60_000,
  stall_silence_ms: 10 * 60_000,
  kill_grace_ms: 10_000,
  list_limit_max: 200,
  list_limit_default: 50,
  search_text_chars: 100,
  last_builds: 10,
  long_poll_s: 60,

  log_bytes: 64 * 1024 * 1024,
  log_tail_bytes: 256 * 1024,
  log_segment_bytes: 256 * 1024,
  log_tail_lines: 10_000,
  log_segment_wait_s: 60,
  log_stream_wait_s: 3600,

  upload_files: 100_000,
  upload_bytes: 10 * 1024 ** 3,
  upload_file_bytes: 2 * 1024 ** 3,
  upload_path_bytes: 1024,
  manifest_bytes: 64 * 1024 ** 2,
  gzip_ratio: 250,
  gzip_ratio_from_bytes: 64 * 1024 ** 2,
  upload_idle_ms: 60_000,
  upload_total_ms: 3_600_000,
  upload_unused_ms: 24 * 3_600_000,
  upload_used_ms: 7 * 24 * 3_600_000,
  blob_collection_ms: 6 * 3_600_000,

  secrets: 100,
  secret_bytes: 64 * 1024,

  artifact_files: 10_000,
  artifact_bytes: 10 * 1024 ** 3,
  artifact_kept_ms: 30 * 24 * 3_600_000,
  artifact_address_ms: 15 * 60_000,
  files_page_max: 100,
  files_page_default: 20,

  errors_kept: 10_000,
  errors_waiting: 5_000,

  idempotency_ms: 24 * 3_600_000,
  idempotency_key_chars: 200,

  enrolment_ms: 15 * 60_000,
  host_lost_after_ms: 10 * 60_000,
  log_lost_after_ms: 5 * 60_000,
  heartbeat_ms: 10_000,
  link_hello_ms: 10_000,
  link_goodbye_ms: 2_000,
  link_renew_ms: 60_000,
  link_message_bytes: 32 * 1024 * 1024,
  link_pending_bytes: 16 * 1024 * 1024,
  link_append_bytes: 1024 * 1024,
  link_builds: 256,

  webhooks: 5,

  max_rental_days: 30,
  order_units: 100,
  order_start_ahead_ms: 90 * 24 * 3_600_000,
  pay_link_ms: 30 * 60_000,
  provision_give_up_ms: 60 * 60_000,
  extension_deadline_ms: 10 * 60_000,
  reset_every_ms: 10 * 60_000,
  resets_per_day: 20,

  session_idle_ms: 12 * 3_600_000,
  session_absolute_ms: 30 * 24 * 3_600_000,
  sign_in_failures_per_minute: 10,
  payment_timeout_ms: 60_000,
  payment_look_ms: 60_000,
  mail_timeout_ms: 30_000,
};

export type Limits = { [K in keyof typeof defaultLimits]: number };
