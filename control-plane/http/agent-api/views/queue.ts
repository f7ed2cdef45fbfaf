import { z } from 'zod';
import type { AccountQueue } from '../../../app/queue.js';
import { buildShape, buildView, type ViewContext } from './build.js';

export const queueShape = z
  .object({
    running_count: z.int().min(0),
    queued_count: z.int().min(0),
    estimate_basis: z.literal('timeout_budget'),
    running: z.array(buildShape),
    queued: z.array(buildShape),
  })
  .meta({ id: 'Queue' });

export function queueView(queue: AccountQueue, context: ViewContext): z.infer<typeof queueShape> {
  return {
    running_count: queue.running.length,
    queued_count: queue.queued.length,
    estimate_basis: 'timeout_budget',
    running: queue.running.map((build) => buildView(build, context)),
    queued: queue.queued.map((build) => buildView(build, context)),
  };
}
