// Builds, their Macs and their events.
import { BY_HAND, type Check } from './check.js';

const ENDS = "('build.succeeded', 'build.failed', 'build.cancelled', 'build.expired')";

export const buildChecks: readonly Check[] = [
  {
    name: 'one_build_on_a_mac',
    holds: 'At most one build runs on a Mac.',
    sql: `SELECT rental_id AS subject, COUNT(*) || ' builds run on it' AS found FROM builds
      WHERE status = 'running' AND rental_id IS NOT NULL GROUP BY rental_id HAVING COUNT(*) > 1`,
    repair: 'cancel all but one of them',
  },
  {
    name: 'running_build',
    holds: 'A running build has a Mac, a host and a start, and no end.',
    sql: `SELECT build_id AS subject, 'it runs, with Mac ' || COALESCE(rental_id, 'none') || ', host ' || COALESCE(host_id, 'none')
        || CASE WHEN started_at IS NULL THEN ', never started' ELSE '' END
        || CASE WHEN ended_at IS NULL AND end_reason IS NULL THEN '' ELSE ', with an end' END AS found
      FROM builds WHERE status = 'running'
        AND (rental_id IS NULL OR host_id IS NULL OR started_at IS NULL OR ended_at IS NOT NULL OR end_reason IS NOT NULL)`,
    repair: 'cancel it, and submit it again',
  },
  {
    name: 'queued_build',
    holds: 'A queued build has no end.',
    sql: `SELECT build_id AS subject, 'it is queued, with the end ' || COALESCE(end_reason, 'without a reason') AS found
      FROM builds WHERE status = 'queued' AND (ended_at IS NOT NULL OR end_reason IS NOT NULL)`,
    repair: 'cancel it, and submit it again',
  },
  {
    name: 'end_of_build',
    holds: 'A build that has ended has a time and a reason that fits its status.',
    sql: `SELECT build_id AS subject, 'it is ' || status || ', with the reason ' || COALESCE(end_reason, 'none')
        || CASE WHEN ended_at IS NULL THEN ' and no time' ELSE '' END AS found
      FROM builds WHERE status NOT IN ('queued', 'running') AND (ended_at IS NULL OR end_reason IS NULL
        OR (status = 'succeeded') <> (end_reason = 'succeeded')
        OR (status = 'failed' AND end_reason NOT IN ('exit_nonzero', 'timeout', 'platform_error'))
        OR (end_reason = 'succeeded' AND (exit_code IS NULL OR exit_code <> 0)))`,
    repair: BY_HAND,
  },
  {
    name: 'one_end_event',
    holds: 'A build that has ended has exactly one event of its end, and a build that has not ended has none.',
    sql: `SELECT b.build_id AS subject, 'it is ' || b.status || ', with ' || COUNT(e.seq) || ' events of an end' AS found
      FROM builds b LEFT JOIN events e ON e.account_id = b.account_id AND e.build_id = b.build_id AND e.event_type IN ${ENDS}
      GROUP BY b.build_id, b.status
      HAVING COUNT(e.seq) <> CASE WHEN b.status IN ('queued', 'running') THEN 0 ELSE 1 END
        OR COUNT(CASE WHEN e.event_type <> 'build.' || b.status THEN 1 END) > 0`,
    repair: 'by hand: receivers of webhooks have been told another end, or none',
  },
  {
    name: 'event_numbers',
    holds: 'The events of a build are numbered from 1 without a gap.',
    sql: `SELECT b.build_id AS subject, COUNT(e.seq) || ' events, up to number ' || COALESCE(MAX(e.sequence), 0)
        || '; the build counts ' || b.event_sequence AS found
      FROM builds b LEFT JOIN events e ON e.account_id = b.account_id AND e.build_id = b.build_id
      GROUP BY b.build_id, b.event_sequence
      HAVING COUNT(e.seq) <> b.event_sequence OR COALESCE(MAX(e.sequence), 0) <> b.event_sequence`,
    repair: 'by hand: an event is missing',
  },
  {
    name: 'build_on_ended_mac',
    holds: 'No build runs on a Mac whose rental has ended.',
    sql: `SELECT b.build_id AS subject, 'it runs on ' || b.rental_id || ', which has ended' AS found
      FROM builds b JOIN rentals r ON r.rental_id = b.rental_id
      WHERE b.status = 'running' AND r.ended_at <= :settled`,
    repair: 'cancel it',
  },
  {
    name: 'script_of_build',
    holds: 'The script of a build is stored for its account.',
    sql: `SELECT b.build_id AS subject, 'its script ' || b.script_id || ' is missing' AS found
      FROM builds b LEFT JOIN scripts s ON s.script_id = b.script_id AND s.account_id = b.account_id
      WHERE b.script_id <> 0 AND s.script_id IS NULL`,
    repair: 'submit it again: it cannot start, nor be run again',
  },
  {
    name: 'sources_of_build',
    holds: 'The upload of a build that has not ended is there.',
    sql: `SELECT b.build_id AS subject, 'its upload ' || b.upload_id || ' is missing' AS found
      FROM builds b LEFT JOIN uploads u ON u.upload_id = b.upload_id AND u.account_id = b.account_id
      WHERE b.status IN ('queued', 'running') AND b.upload_id IS NOT NULL AND u.upload_id IS NULL`,
    repair: 'cancel it, and upload the folder again',
  },
  {
    name: 'event_is_sent',
    holds: 'Every event is given to its receivers soon.',
    sql: `SELECT event_id AS subject, event_type || ' of ' || subject_id || ' still waits' AS found
      FROM events WHERE fanned_out = 0 AND occurred_at <= :settled`,
    repair: 'by itself, once a process runs the workers: look at its log',
  },
];
