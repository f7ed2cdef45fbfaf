// GET /v1/throughput of the operator API.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { integerParam, timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { Throughput } from '../app/throughput.js';
import type { ThroughputStep } from '../domain/throughput.js';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 92 * 24 * HOUR_MS;
const MOST_STEPS = 400;

const share = z.number().min(0).max(1).nullable();

const stepShape = z
  .object({
    at: time,
    builds: count.meta({ description: 'Started in the step' }),
    succeeded: count,
    failed: count,
    wait_p50_s: count.nullable().meta({ description: 'Median wait of these builds' }),
    wait_p95_s: count.nullable(),
    mac_use: share.meta({
      description: 'Share of the time of Macs in which they built; null: there were none',
    }),
    slot_use: share.meta({ description: 'Share of the time of slots in which they had a Mac' }),
  })
  .meta({ id: 'ThroughputStep' });

export function createThroughputRoutes(deps: {
  readonly throughput: Throughput;
  readonly clock: { now(): number };
}): AnyRoute[] {
  const { throughput, clock } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/throughput',
      operationId: 'getThroughput',
      level: 'read',
      summary: 'Builds, waits and use of Macs and slots, in steps of time',
      query: z.object({
        from: timeParam().optional().meta({ description: 'Default: a day before `to`' }),
        to: timeParam().optional().meta({ description: 'Default: now' }),
        step: integerParam(60, 7 * 24 * 3_600)
          .optional()
          .meta({ description: 'Seconds; default: 3600' }),
      }),
      responses: {
        200: z
          .object({
            from: time,
            to: time,
            step_s: count,
            wait_p95_s: count.nullable().meta({
              description:
                '95th percentile of the waits of builds that started between the two times; null: none started',
            }),
            steps: z.array(stepShape),
          })
          .meta({ id: 'Throughput' }),
      },
      async handle({ query, step: next }) {
        const to = query.to ?? clock.now();
        const from = query.from ?? to - 24 * HOUR_MS;
        const step = (query.step ?? 3_600) * 1_000;
        checkRange(from, to, step);
        const { steps, waitP95 } = await throughput.read({ from, to, step }, next);
        const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
        const figures = { wait_p95_s: seconds(waitP95), steps: steps.map(stepView) };
        return { status: 200, body: { ...range, step_s: step / 1_000, ...figures } };
      },
    }),
  ];
}

function checkRange(from: number, to: number, step: number): void {
  if (to <= from || to - from > LONGEST_MS) {
    const problem = fieldProblem('not_after', { other: 'from', days: LONGEST_MS / 86_400_000 });
    throw fieldError('invalid_request', 'to', problem);
  }
  if ((to - from) / step > MOST_STEPS) {
    throw fieldError('invalid_request', 'step', fieldProblem('too_many_steps', { most: MOST_STEPS }));
  }
}

const seconds = (ms: number | null) => (ms === null ? null : Math.max(0, Math.round(ms / 1_000)));
const shareOf = (part: number, whole: number) => (whole === 0 ? null : Math.min(1, part / whole));

const stepView = (one: ThroughputStep): z.infer<typeof stepShape> => ({
  at: new Date(one.at).toISOString(),
  builds: one.builds,
  succeeded: one.succeeded,
  failed: one.failed,
  wait_p50_s: seconds(one.waitP50),
  wait_p95_s: seconds(one.waitP95),
  mac_use: shareOf(one.buildMs, one.macMs),
  slot_use: shareOf(one.macMs, one.slotMs),
});
