// GET /openapi.json of a family, generated once from the route table that contains it.
import { z } from 'zod';
import { type DocumentOptions, openApiDocument } from './openapi.js';
import { type AnyRoute, type LeveledRoute, route } from './route.js';

/** @param routes all routes of the family with their levels, including this one; read on the first request */
export function createReferenceRoute(
  routes: () => readonly LeveledRoute[],
  about: DocumentOptions,
): AnyRoute {
  const texts = new Map<'brief' | 'full', string>();
  return route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    query: z.object({ form: z.literal('full').optional() }),
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    async handle({ query }) {
      const form = query.form ?? 'brief';
      const text = texts.get(form) ?? JSON.stringify(openApiDocument(routes(), about, form));
      texts.set(form, text);
      return { status: 200, type: 'application/json; charset=utf-8', body: text };
    },
  });
}
