import { z } from 'zod';
import { count } from '../../platform/http/values.js';
import type { AccountQueue } from '../app/queue.js';
import { estimateBasis } from '../domain/build-words.js';
import { listedBuildShape, listedBuildView, type ViewContext } from './build-view.js';

export const queueShape = z
  .object({
    running_count: count,
    queued_count: count,
    estimate_basis: estimateBasis,
    running: z.array(listedBuildShape),
    queued: z.array(listedBuildShape).meta({
      description: 'Next to start first. Not all if there are many.',
    }),
  })
  .meta({ id: 'AgentQueue', title: 'The account’s running and waiting builds' });

/** @param most builds of each list; the counts are of all */
export function queueView(
  queue: AccountQueue,
  context: ViewContext,
  most = Number.POSITIVE_INFINITY,
): z.infer<typeof queueShape> {
  return {
    running_count: queue.running.length,
    queued_count: queue.queued.length,
    estimate_basis: queue.basis,
    running: queue.running.slice(0, most).map((build) => listedBuildView(build, context)),
    queued: queue.queued.slice(0, most).map((build) => listedBuildView(build, context)),
  };
}
