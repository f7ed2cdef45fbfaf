import type { FastifyInstance } from 'fastify';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import { parseJsonBody } from './json-body.js';
import { discardBody } from './paced-body.js';
import type { ClassCodes } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Size of its JSON body, bytes; 0 without one. */
    jsonBytes: number;
  }
}

/** Parses JSON bodies strictly. Routes with `rawBody` get the unread stream. */
export function acceptBodies(app: FastifyInstance, codes: ClassCodes, limits: Limits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer', bodyLimit: limits.json_body_bytes },
    (request, body: Buffer, done) => {
      const { route } = request.routeOptions.config;
      request.jsonBytes = body.length;
      if (route?.bodyBytes) return done(null, body);
      if (!route || route.ignoresUnknown) return done(null, undefined);
      const parse = (refusal?: Error) => {
        try {
          if (refusal) throw refusal;
          const parsed = parseJsonBody(body);
          // Many clients send an empty object to routes that take no body; treat it as no body.
          done(null, !route.body && isEmpty(parsed) ? undefined : parsed);
        } catch (error) {
          done(error as Error);
        }
      };
      // Parsing a large body takes milliseconds.
      if (request.takeTurn) request.takeTurn(body.length, parse);
      else parse();
    },
  );
  app.addContentTypeParser('*', (request, payload, done) => {
    const { route } = request.routeOptions.config;
    if (route?.rawBody) return done(null, payload);
    if (!route || (route.ignoresUnknown && !route.bodyBytes)) {
      discardBody(request);
      return done(null, undefined);
    }
    const notJson = 'Send the body as JSON (Content-Type: application/json).';
    if (route.body || route.bodyBytes) {
      discardBody(request);
      return done(new ApiError('invalid_json', { message: notJson }));
    }
    const settle = settleOnce(done);
    payload.once('data', () =>
      settle(new ApiError(route.invalidBody ?? codes.body, { message: 'This endpoint takes no body.' })),
    );
    payload.once('error', settle);
    payload.once('end', () => settle(null));
  });
}

/** Returns `done` limited to its first call: a stream emits further events after the first byte. */
function settleOnce(done: (error: Error | null) => void): (error: Error | null) => void {
  let settled = false;
  return (error) => {
    if (!settled) done(error);
    settled = true;
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
