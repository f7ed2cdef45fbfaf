// The one protocol number of the host link, with a dated line per change.
//
// 1  2026-11-20  first version; never released
// 2  2026-11-20  Macs are changed: revision, empty_work, runtimes, tools and image in a desire; revision, progress
//                and refused in a fact
//                a result names the work folder (work_folder)
//                a result may say that the rest of its log is lost (log.lost)
//                small artifacts many to a request; a lost content is named (`<sha256> gone`)
//    2026-11-22  a build names its source (source_key), a desire asks for a repair (repair), an inventory says how much
//                of the disk stays free (disk_reserve_bytes), a fact and a result name the commit that was checked out
//                (commit_sha); each may be missing
//    2026-11-22  strings and lists of hosts have kinds (kinds.ts); nothing changes for correct hosts
//                a frame marks the lines that the service wrote (service, optional)
//                images: a desire lists them (images), and gives a Mac its digest and size (image_digest, cpu_cores,
//                memory_gb, disk_gb); a fact has the digest that a Mac was created from (image_digest); hello and facts
//                have the state of images on the host (images); an inventory has the reason why the host cannot create
//                Macs (blocked), and its driver may be lume; each may be missing
//                a desire names the address that the host should move to (move_to); hello and facts have the address that
//                the host uses, and how its move goes (address); each may be missing
//                hello and inventory have what the host's doctor found (health), and an inventory the version of macOS
//                (macos) and the chip (chip); each may be missing
//                a desire names the package that the agent should install (agent); hello and facts say how far that has
//                come (upgrade); each may be missing
//                hello and inventory have the time of the host's clock (sent_at), and an inventory the size of the disk
//                (disk_total_bytes); each may be missing
//    2026-11-23  a fact and a result have the times of a build's steps (steps); each may be missing
//                an invalid record of a list is left out and no longer closes the link, in both directions
// 3  2026-11-23  a secret may be a file (encoding of a secret); a host of version 2 gets no build with such a secret
//                a fact and an output frame say how long ago the build printed last (silent_ms), measured on the host; a spec
//                says how often to report that (output_report_ms) instead of silence_ms, which only version 2 needs
//    2026-11-24  progress of a Mac has that of its image's fetch (image), an image its bytes (fetched_bytes, fetch_bytes), and
//                a fact of a Mac the kind of its error (error_code); each may be missing
//                an artifact says whether it is executable (executable of a report and a query, ` x` in a record)
//                sentences for people are also messages with code and values (warning_messages and summary_message of a result,
//                found_message and fix_message of a finding, error_message of an upgrade and of an image); each may be missing
//                hello says which machine the host is (machine); may be missing
//    2026-11-28  a fact and a result have title and author of the commit that was checked out (commit_about); may be missing

export const PROTOCOL_VERSION = 3;
/** Oldest protocol version that this program supports. */
export const OLDEST_PROTOCOL = 2;

export interface ProtocolRange {
  readonly oldest: number;
  readonly newest: number;
}

export const OWN_PROTOCOLS: ProtocolRange = { oldest: OLDEST_PROTOCOL, newest: PROTOCOL_VERSION };

/**
 * Returns the newest protocol version that both ends support, or null.
 *
 * @example commonProtocol({ oldest: 2, newest: 5 }, { oldest: 1, newest: 3 }) // 3
 */
export function commonProtocol(a: ProtocolRange, b: ProtocolRange): number | null {
  const newest = Math.min(a.newest, b.newest);
  return newest >= Math.max(a.oldest, b.oldest) ? newest : null;
}

/** WebSocket close codes of the link (4000 to 4999 are for applications). */
export const CLOSE = {
  /** The closing end is stopping or restarting; reconnect. */
  goingAway: 1001,
  /** The closing end had an error; reconnect and repeat. */
  internalError: 1011,
  /** A message was invalid; the reason names the path. */
  invalidMessage: 4400,
  /** The credential was revoked; the agent does not reconnect until it is enrolled again. */
  unauthorized: 4401,
  /** The same host has connected again; this older connection is closed. */
  replaced: 4409,
  /** There is no common protocol version; the reason names both ranges. */
  protocolMismatch: 4426,
} as const;
