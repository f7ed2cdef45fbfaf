// How a machine becomes a host: POST {site_url}/link/v1/enrol, once per token and without a credential.
import { z } from 'zod';

export const enrolRequest = z.object({
  /** One-time token from `cidermill admin host enroll`, valid for 15 minutes. */
  token: z.string().min(1).max(200),
  /** Used when the token was made without a name. */
  hostname: z.string().min(1).max(200),
});
export type EnrolRequest = z.infer<typeof enrolRequest>;

/** 201. The credential is shown this once; only its SHA-256 is kept by the service. */
export const enrolResponse = z.object({
  host_id: z.string(),
  name: z.string(),
  credential: z.string(),
});
export type EnrolResponse = z.infer<typeof enrolResponse>;
