import { z } from 'zod';
import type { RecordedError } from '../../../domain/recorded-error.js';

const recorded = z
  .object({
    id: z.int(),
    kind: z.enum(['api', 'build']),
    at: z.string(),
    code: z.string(),
    http_status: z.int().nullable(),
    fault: z.string(),
    message: z.string(),
    request_id: z.string().nullable(),
    method: z.string().nullable(),
    path: z.string().nullable(),
    key_name: z.string().nullable(),
    build_id: z.string().nullable(),
    reason_code: z.string().nullable(),
  })
  .meta({ id: 'RecordedError' });

export const errorListShape = z
  .object({ errors: z.array(recorded), next_before: z.string().nullable() })
  .meta({ id: 'ErrorList' });

export function recordedErrorView(error: RecordedError): z.infer<typeof recorded> {
  return {
    id: error.id,
    kind: error.kind,
    at: new Date(error.at).toISOString(),
    code: error.code,
    http_status: error.httpStatus,
    fault: error.fault,
    message: error.message,
    request_id: error.requestId,
    method: error.method,
    path: error.path,
    key_name: error.keyName,
    build_id: error.buildId,
    reason_code: error.reasonCode,
  };
}
