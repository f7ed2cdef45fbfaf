// GET and POST /dev/clock: mounted only with --test-clock.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { TestClock } from '../app/test-clock.js';
import { fieldError } from '../domain/field-error.js';

/** 1,000 days, longer than any time limit of the service. */
const LONGEST_STEP_MS = 1_000 * 86_400_000;

const body = z.strictObject({ advance_ms: z.int().min(0).max(LONGEST_STEP_MS) });

export function registerDevClock(server: FastifyInstance, clock: TestClock): void {
  const answer = () => ({ now: new Date(clock.now()).toISOString() });
  server.get('/dev/clock', answer);
  server.post('/dev/clock', async (request) => {
    const parsed = body.safeParse(request.body);
    if (!parsed.success) {
      throw fieldError('invalid_request', 'advance_ms', fieldProblem('wrong_type', { kind: 'integer' }), {
        message: 'Send {"advance_ms": N}, a whole number of milliseconds.',
      });
    }
    await clock.advance(parsed.data.advance_ms);
    return answer();
  });
}
