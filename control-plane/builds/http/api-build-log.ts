// GET /builds/:build_id/log in its forms: text (all so far, its last lines, a stream that follows), a JSON segment by
// offset, lines by number, a search.

import { Readable } from 'node:stream';
import { z } from 'zod';
import { createEscapeStripper } from '../../../shared/escape-stripper.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { rangedAnswer } from '../../platform/http/byte-range.js';
import { because } from '../../platform/http/issue-problem.js';
import { prefersRedirect } from '../../platform/http/prefers-redirect.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import type { BuildLog, EndedLog } from '../app/build-log.js';
import type { BuildLogLines } from '../app/build-log-lines.js';
import { buildParams } from './api-builds.js';
import { linesShape, linesView, matchesShape, matchesView, segmentShape, segmentView } from './build-log-view.js';

const TEXT = 'text/plain; charset=utf-8';

export interface BuildLogRoutesDeps {
  readonly buildLog: BuildLog;
  readonly logLines: BuildLogLines;
  readonly limits: Limits;
}

export function createBuildLogRoutes({ buildLog, logLines, limits }: BuildLogRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/builds/:build_id/log',
      operationId: 'getBuildLog',
      level: 'read',
      belowLink: true,
      summary: 'The log of a build',
      params: buildParams,
      invalidParams: 'build_not_found',
      query: queryShape(limits),
      invalidQueryField: { offset: 'invalid_offset', wait: 'invalid_wait' },
      parks: ({ wait = 0 }) => wait > 0,
      responses: {
        200: [TEXT, z.union([segmentShape, linesShape, matchesShape])],
        206: TEXT,
        302: null,
        416: null,
      },
      errors: ['build_not_found', 'log_deleted'],
      async handle({ caller, params, query, headers, signal, step }) {
        const form = formOf(query);
        const of = { scope: scopeOf(caller), buildId: params.build_id };
        const { tail = null, offset = null, wait = 0 } = query;
        const plain = query.ansi === 'strip';
        const ms = wait * 1000;
        const timestamps = query.timestamps === 'true';
        if (form === 'lines' || form === 'search') {
          const { from_line: fromLine = 1, lines = limits.log_page_default, search: text = '' } = query;
          const page = { ...of, fromLine, lines, timestamps };
          if (form === 'lines') {
            refuseLongWait(wait, limits);
            return json(linesView(await logLines.follow({ ...page, ms, signal }), plain));
          }
          if (lines > limits.log_page_matches) {
            throw new ApiError('invalid_query', {
              message: `lines must be at most ${limits.log_page_matches} with search (got ${lines}).`,
            });
          }
          return json(matchesView(await logLines.search({ ...page, text, signal, step }), plain));
        }
        if (form === 'segment') {
          refuseLongWait(wait, limits);
          return json(segmentView(await buildLog.segment({ ...of, offset: offset ?? 0, ms, signal })));
        }
        const isWhole = tail === null && offset === null && wait === 0 && !plain && !timestamps;
        const log = isWhole ? await buildLog.ended(of) : null;
        if (log !== null) return endedReply(log, { name: of.buildId, headers, signal });
        const follows = wait > 0 || offset !== null;
        const chunks = follows
          ? await buildLog.follow({ ...of, tail, offset, timestamps, ms, signal })
          : untilRefused(await buildLog.text({ ...of, tail, timestamps }), signal);
        return textReply(plain ? withoutColors(chunks) : chunks);
      },
    }),
  ];
}

/**
 * The key may be revoked while a log is read slowly; the connection is then aborted, so that the response is not taken
 * for complete.
 */
async function* untilRefused(chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    if (signal.reason instanceof ApiError) throw signal.reason;
    yield chunk;
  }
}

function queryShape(limits: Limits) {
  return z.object({
    tail: integerParam(0, limits.log_tail_lines).optional().meta({ description: 'Only this many last lines, as text' }),
    offset: integerParam(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'First byte of the JSON segment or text' }),
    format: z.literal('text').optional(),
    wait: integerParam(0, limits.log_stream_wait_s)
      .optional()
      .meta({
        description: `Seconds to wait for more; as JSON at most ${limits.log_segment_wait_s}. As a text stream at most ${limits.log_stream_wait_s}.`,
      }),
    from_line: integerParam(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'JSON of lines, or matches, from this on' }),
    lines: integerParam(1, limits.log_page_lines)
      .optional()
      .meta({
        description: `Default: ${limits.log_page_default}; with \`search\` at most ${limits.log_page_matches}. Fewer when they are long`,
      }),
    // Counted in code points, as JSON Schema does.
    search: z
      .string()
      .refine((text) => text !== '', because(fieldProblem('required')))
      .refine(
        (text) => [...text].length <= limits.log_search_chars,
        because(fieldProblem('too_long', { most: limits.log_search_chars })),
      )
      .refine((text) => !/(?!\t)\p{Cc}/u.test(text), because(fieldProblem('control_characters')))
      .meta({
        minLength: 1,
        maxLength: limits.log_search_chars,
        description: 'JSON of lines with this text, in any case. The text is literal; colors are ignored.',
      })
      .optional(),
    ansi: z.literal('strip').optional().meta({ description: 'Without colors and other escape sequences' }),
    timestamps: z.literal('true').optional().meta({ description: 'Times of lines; not with `offset`' }),
  });
}

type Query = z.infer<ReturnType<typeof queryShape>>;
type Form = 'text' | 'segment' | 'lines' | 'search';

/** Parameters that belong to each form. */
const takes: Readonly<Record<Form, readonly (keyof Query)[]>> = {
  text: ['tail', 'offset', 'format', 'wait', 'ansi', 'timestamps'],
  segment: ['offset', 'wait'],
  lines: ['from_line', 'lines', 'wait', 'ansi', 'timestamps'],
  search: ['search', 'from_line', 'lines', 'ansi', 'timestamps'],
};

/** Throws invalid_query for parameters that cannot be combined. */
function formOf(query: Query): Form {
  const given = (Object.keys(query) as (keyof Query)[]).filter((name) => query[name] !== undefined);
  const form = given.includes('search')
    ? 'search'
    : given.includes('from_line') || given.includes('lines')
      ? 'lines'
      : given.includes('offset') && !given.includes('format') && !given.includes('tail')
        ? 'segment'
        : 'text';
  for (const other of ['tail', 'timestamps'] as const) {
    if (given.includes(other) && given.includes('offset')) refuse(other, 'offset');
  }
  for (const name of given) if (!takes[form].includes(name)) refuse(name, nameOf(form));
  return form;
}

const nameOf = (form: Form) =>
  ({ text: 'text', segment: 'offset without format=text', lines: 'from_line or lines', search: 'search' })[form];

function refuse(one: string, other: string): never {
  throw new ApiError('invalid_query', { message: `${one} does not go together with ${other}.` });
}

function refuseLongWait(wait: number, limits: Limits): void {
  if (wait <= limits.log_segment_wait_s) return;
  throw new ApiError('invalid_wait', { message: `wait: at most ${limits.log_segment_wait_s}.` });
}

/** Serialized here, because the serializer of a union first has to find the matching shape. */
function json(body: object): RouteReply {
  return { status: 200, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

async function* withoutColors(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const stripper = createEscapeStripper();
  for await (const chunk of chunks) {
    const plain = stripper.write(chunk);
    if (plain.length > 0) yield plain;
  }
  const rest = stripper.end();
  if (rest.length > 0) yield rest;
}

interface EndedRequest {
  /** Name of the file. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly signal: AbortSignal;
}

/** The log as it is stored, or the part of it that is asked for, or an address of it. */
async function endedReply(log: EndedLog, { name, headers, signal }: EndedRequest): Promise<RouteReply> {
  const as = { disposition: `inline; filename="${name}.log"`, type: TEXT };
  const address = prefersRedirect(headers) ? await log.address(as) : null;
  if (address !== null) return { status: 302, headers: { location: address, 'cache-control': 'no-store' }, body: null };
  const answer = rangedAnswer(headers, log);
  if (answer.status === 416) return { status: 416, headers: answer.headers, body: null };
  const body = Readable.from(untilRefused(log.read(answer.part), signal), { objectMode: false });
  return { status: answer.status, type: TEXT, headers: answer.headers, body };
}

function textReply(chunks: AsyncIterable<Buffer>): RouteReply {
  return {
    status: 200,
    type: TEXT,
    // Keeps proxies from buffering a followed stream.
    headers: { 'x-accel-buffering': 'no' },
    flush: true,
    body: Readable.from(chunks, { objectMode: false }),
  };
}
