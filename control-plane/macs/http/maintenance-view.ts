// The result of a change of one Mac, in the responses of resets, Xcode changes and setups.
import { z } from 'zod';
import type { AcceptedResult, MacResult, RenamedMac } from '../app/maintenance.js';

const job_id = z.string().optional().meta({ description: 'Absent when there is nothing to do' });
const status = z
  .literal('unchanged')
  .optional()
  .meta({ description: '`unchanged`: it has this setup already, or this name' });

/** For one Mac; a refusal is an error. */
export const changeShape = z
  .object({
    rental_id: z.string(),
    result: z.literal('accepted'),
    rental_name: z.string(),
    job_id,
    status,
  })
  .meta({
    id: 'AcceptedOperation',
    title: 'An accepted change of one Mac; a refusal is an error',
  });

/** For one of several Macs. */
export const macResultShape = z
  .object({
    rental_id: z.string(),
    rental_name: z.string(),
    result: z.enum(['accepted', 'rejected']),
    job_id,
    status,
    reason: z.string().optional().meta({
      description: 'Only when rejected: the error code',
    }),
    message: z.string().optional(),
    retry_after_s: z.int().min(0).nullable().optional(),
    detail: z.looseObject({}).optional().meta({ title: 'Details of the error, such as `options`' }),
  })
  .meta({
    id: 'OperationResult',
    title: 'The result of a requested change of one of several Macs',
  });

export const macResultsShape = z.object({ results: z.array(macResultShape) }).meta({ id: 'OperationResults' });

export function changeView(result: AcceptedResult | RenamedMac): z.infer<typeof changeShape> {
  const { rentalId: rental_id, name: rental_name } = result;
  const accepted = { rental_id, rental_name, result: 'accepted' } as const;
  if (result.result === 'unchanged') return { ...accepted, status: 'unchanged' };
  return 'jobId' in result ? { ...accepted, job_id: result.jobId } : accepted;
}

export function macResultsView(results: readonly MacResult[]): z.infer<typeof macResultsShape> {
  return { results: results.map(macResultView) };
}

function macResultView(result: MacResult): z.infer<typeof macResultShape> {
  if (result.result !== 'rejected') return changeView(result);
  const { rentalId: rental_id, name: rental_name, reason, message, detail, retryAfterS: retry_after_s } = result;
  return { rental_id, rental_name, result: 'rejected', reason, message, detail: { ...detail }, retry_after_s };
}
