// GET /openapi.json of an API, generated once from the route table that contains it.
import { z } from 'zod';
import { endTurn } from '../../../shared/in-steps.js';
import { type DocumentOptions, openApiSteps } from './openapi.js';
import { type AnyRoute, route } from './route.js';

/** Steps of a millisecond at most. */
const STEPS_IN_TURN = 4;

/** @param routes all routes of the API with their levels, including this one; read on the first request */
export function createReferenceRoute(routes: () => readonly AnyRoute[], about: DocumentOptions): AnyRoute {
  const texts = new Map<'brief' | 'full', Promise<string>>();
  // Requests that come meanwhile wait for the same text, so the steps are charged to no account.
  const make = async (form: 'brief' | 'full') => {
    const steps = openApiSteps(routes(), about, form);
    for (let i = 1; ; i++) {
      const { value, done } = steps.next();
      if (done) return JSON.stringify(value);
      if (i % STEPS_IN_TURN === 0) await endTurn();
    }
  };
  return route({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getReference',
    level: null,
    summary: 'This document',
    query: z.object({ form: z.literal('full').optional() }),
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    async handle({ query }) {
      const form = query.form ?? 'brief';
      const text = texts.get(form) ?? make(form);
      texts.set(form, text);
      return { status: 200, type: 'application/json; charset=utf-8', body: await text };
    },
  });
}
