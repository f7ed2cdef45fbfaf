// Enrollment of a machine as a host, without a credential, in one of two ways: POST {site_url}/link/v1/enrol with a
// token, or an approval: POST {site_url}/link/v1/approvals answers with a code, an operator approves that code, and GET
// on the same path, with the credential, says so. The agent makes the credential, so that a request whose answer was
// lost can be repeated, and a code is worth nothing to others.
import { z } from 'zod';
import { displayText, hostName, sha256Hex, token, version } from './kinds.js';

export const enrolRequest = z.object({
  /** From `cidermill admin host enroll`. */
  token: token(),
  /** Used when the token has no name. */
  hostname: hostName(),
  /** SHA-256 of the credential that the agent has made. A repeated request with the same one is the same host. */
  credential_hash: sha256Hex.optional(),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

/** The response (201). The service keeps only the SHA-256 of the credential. */
export const enrolResponse = z.object({
  host_id: z.string(),
  name: z.string(),
  /** Null if the agent has made it. */
  credential: z.string().nullable(),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;

/** What the operator who approves the machine is shown. */
export const approvalRequest = z.object({
  credential_hash: sha256Hex,
  hostname: hostName(),
  os: displayText(100),
  chip: displayText(100),
  agent_version: version(),
});
export type ApprovalRequest = z.infer<typeof approvalRequest>;

/** The response (201); the same while the code is valid. */
export const approvalResponse = z.object({
  /** 8 letters with a hyphen in the middle. */
  code: z.string(),
  expires_in_ms: z.number(),
  /** How long to wait before each question whether it was approved. */
  poll_ms: z.number(),
});
export type ApprovalResponse = z.infer<typeof approvalResponse>;

/** The response to such a question. Null: not approved yet. */
export const approvalState = z.object({
  host: z.object({ host_id: z.string(), name: z.string() }).nullable(),
});
export type ApprovalState = z.infer<typeof approvalState>;
