// GET /openapi.json of a family: made once, from the route table it is part of.
import { z } from 'zod';
import { type DocumentOptions, openApiDocument } from './openapi.js';
import { type AnyRoute, route } from './route.js';

export function createReferenceRoute(routes: readonly AnyRoute[], about: DocumentOptions): AnyRoute {
  let text: string | null = null;
  const reference: AnyRoute = route({
    method: 'GET',
    path: '/openapi.json',
    level: null,
    summary: 'This document',
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    async handle() {
      text ??= JSON.stringify(openApiDocument([...routes, reference], about));
      return { status: 200, type: 'application/json; charset=utf-8', body: text };
    },
  });
  return reference;
}
