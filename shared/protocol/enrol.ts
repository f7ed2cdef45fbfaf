// Enrollment of a machine as a host: POST {site_url}/link/v1/enrol, once per token and without a credential.
import { z } from 'zod';
import { hostName, token } from './kinds.js';

export const enrolRequest = z.object({
  /** One-time token from `cidermill admin host enroll`, valid for 15 minutes. */
  token: token(),
  /** Used when the token has no name. */
  hostname: hostName(),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

/** The response (201). The credential is returned only here; the service keeps only its SHA-256. */
export const enrolResponse = z.object({
  host_id: z.string(),
  name: z.string(),
  credential: z.string(),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;
