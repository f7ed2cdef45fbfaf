// The one protocol number of the host link, with a dated line per change.
//
// 1  2026-11-20  first version

export const PROTOCOL_VERSION = 1;
/** Oldest agent protocol that this control plane still speaks. */
export const OLDEST_PROTOCOL = 1;

/** WebSocket close codes of the link (4000 to 4999 are for applications). */
export const CLOSE = {
  /** A message did not validate; the reason names the path. */
  invalidMessage: 4400,
  /** Credential unknown or revoked; the agent stops trying until it is enrolled again. */
  unauthorized: 4401,
  /** The same host connected again; the older connection is closed. */
  replaced: 4409,
  /** Protocol versions do not overlap; the reason says both ranges. */
  protocolMismatch: 4426,
  /** No pong within the deadline. */
  heartbeatLost: 4408,
} as const;
