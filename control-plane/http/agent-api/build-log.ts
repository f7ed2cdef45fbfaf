// GET /builds/:build_id/log in its forms: all so far, its end, a JSON segment, a stream that follows.
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { BuildLog, LogSegment } from '../../app/build-log.js';
import { buildStatus } from '../../domain/build-words.js';
import { ApiError } from '../../domain/error-catalog.js';
import type { Limits } from '../../domain/limits.js';
import { integerParam } from '../query.js';
import { type AnyRoute, type RouteReply, route } from '../route.js';
import { buildParams } from './builds.js';

export interface BuildLogRoutesDeps {
  readonly buildLog: BuildLog;
  readonly limits: Limits;
}

const segmentShape = z
  .object({
    build_id: z.string(),
    offset: z.int().min(0),
    next_offset: z.int().min(0),
    data: z.string(),
    eof: z.boolean().meta({ description: 'True: the build has ended and nothing follows' }),
    status: buildStatus,
  })
  .meta({
    id: 'LogSegment',
    description: 'A piece of a build’s log; offsets count bytes of the stored log',
  });

export function createBuildLogRoutes({ buildLog, limits }: BuildLogRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/builds/:build_id/log',
      level: 'read',
      summary: 'The log of a build',
      params: buildParams,
      invalidParams: 'build_not_found',
      query: z.object({
        tail: integerParam(0, limits.log_tail_lines)
          .optional()
          .meta({ description: 'Only the last so many lines' }),
        offset: integerParam(0, Number.MAX_SAFE_INTEGER)
          .optional()
          .meta({ description: 'A JSON segment from this byte; with format=text the stream begins there' }),
        format: z.literal('text').optional(),
        wait: integerParam(0, limits.log_stream_wait_s)
          .optional()
          .meta({ description: 'Seconds to wait for more: up to 60 for a segment, 3600 for a text stream' }),
      }),
      invalidQueryField: { offset: 'invalid_offset', wait: 'invalid_wait' },
      responses: { 200: ['text/plain; charset=utf-8', segmentShape] },
      errors: ['build_not_found'],
      async handle({ caller, params, query, signal }) {
        const { tail = null, offset = null, format, wait = 0 } = query;
        const of = { accountId: caller.account.id, buildId: params.build_id };
        const ms = wait * 1000;
        if (tail !== null && offset !== null) {
          throw new ApiError('invalid_query', { message: 'Send one of tail and offset.' });
        }
        if (offset !== null && format === undefined) {
          if (wait > limits.log_segment_wait_s) {
            throw new ApiError('invalid_wait', { message: `wait: at most ${limits.log_segment_wait_s}.` });
          }
          return { status: 200, body: segmentView(await buildLog.segment({ ...of, offset, ms, signal })) };
        }
        if (wait === 0 && offset === null) return textReply(await buildLog.text({ ...of, tail }));
        return textReply(await buildLog.follow({ ...of, tail, offset, ms, signal }));
      },
    }),
  ];
}

function segmentView(segment: LogSegment): z.infer<typeof segmentShape> {
  return {
    build_id: segment.buildId,
    offset: segment.offset,
    next_offset: segment.nextOffset,
    data: segment.data.toString('utf8'),
    eof: segment.eof,
    status: segment.status,
  };
}

function textReply(chunks: AsyncIterable<Buffer>): RouteReply {
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    // Proxies would hold back a stream that is meant to be followed.
    headers: { 'x-accel-buffering': 'no' },
    flush: true,
    body: Readable.from(chunks, { objectMode: false }),
  };
}
