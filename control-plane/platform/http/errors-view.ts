import { z } from 'zod';
import { enumeration } from '../domain/enumeration.js';
import type { RecordedError } from '../domain/recorded-error.js';
import { messageShape, messageView } from './message-view.js';
import { nextBefore, time } from './values.js';

export const errorKind = z.enum(['api', 'build']);

export const recordedFault = enumeration(['client', 'platform', 'payment', 'capacity', 'customer', 'unknown'], {
  title: 'Who has to act; values may be added',
  plain: true,
  open: true,
  meanings: {
    client: 'the sender of the request',
    platform: 'the service',
    payment: 'a person, by paying',
    capacity: 'no Mac was free',
    customer: 'the code or the script of the build',
    unknown: 'the log of the build does not tell',
  },
});

const recorded = z
  .object({
    id: z.int(),
    kind: errorKind,
    at: time,
    code: z.string().meta({ description: 'Of the error catalog; of a failed build its `reason_code`' }),
    http_status: z.int().nullable(),
    fault: recordedFault,
    message: z.string(),
    failure_message: messageShape
      .nullable()
      .meta({ description: 'Of a failed build: `message` as a code with values' }),
    request_id: z.string().nullable(),
    method: z.string().nullable(),
    path: z.string().nullable(),
    key_name: z.string().nullable(),
    build_id: z.string().nullable(),
    reason_code: z.string().nullable().meta({ description: 'Of a failed build' }),
  })
  .meta({ id: 'RecordedError', title: 'A failed request of the account, or a failed build' });

export const errorListShape = z
  .object({ errors: z.array(recorded), next_before: nextBefore })
  .meta({ id: 'ErrorPage' });

export function recordedErrorView(error: RecordedError): z.infer<typeof recorded> {
  return {
    id: error.id,
    kind: error.kind,
    at: new Date(error.at).toISOString(),
    code: error.code,
    http_status: error.httpStatus,
    fault: error.fault,
    message: error.message,
    failure_message: error.failureMessage && messageView(error.failureMessage),
    request_id: error.requestId,
    method: error.method,
    path: error.path,
    key_name: error.keyName,
    build_id: error.buildId,
    reason_code: error.reasonCode,
  };
}
