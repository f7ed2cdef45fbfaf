// Enrollment of a machine as a host: POST {site_url}/link/v1/enrol, once per token and without a credential.
import { z } from 'zod';

export const enrolRequest = z.object({
  /** One-time token from `cidermill admin host enroll`, valid for 15 minutes. */
  token: z.string().min(1).max(200),
  /** Used when the token has no name. */
  hostname: z.string().min(1).max(200),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

/** The response (201). The credential is returned only here; the service keeps only its SHA-256. */
export const enrolResponse = z.object({
  host_id: z.string(),
  name: z.string(),
  credential: z.string(),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;
