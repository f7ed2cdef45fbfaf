// JSON forms of a build's log: a segment of bytes, lines by number, search matches.
import { z } from 'zod';
import { withoutEscapes } from '../../../shared/escape-stripper.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { count, time } from '../../platform/http/values.js';
import type { LogSegment } from '../app/build-log.js';
import type { LogPage, OwnMatches } from '../app/build-log-lines.js';
import { buildStatus } from '../domain/build-words.js';

export const segmentShape = z
  .object({
    build_id: z.string(),
    offset: z.int().min(0),
    next_offset: z.int().min(0),
    data: z.string(),
    eof: z.boolean().meta({ description: 'The build has ended and nothing follows' }),
    status: buildStatus,
  })
  .meta({
    id: 'LogSegment',
    description: 'Offsets count bytes of the log',
  });

export const logLineShape = z
  .object({
    n: z.int().min(1).meta({ description: 'In the whole log, from 1' }),
    text: z.string(),
    cut: z.literal(true).optional().meta({ description: 'The line is longer than `text`' }),
    open: z
      .literal(true)
      .optional()
      .meta({ description: 'The line may become longer. The build still runs and has not ended it.' }),
    source: z
      .literal('service')
      .optional()
      .meta({ title: 'Written by the service; all other lines are output of the build' }),
    at: time
      .nullable()
      .optional()
      .meta({ title: 'When its beginning arrived. Only with `timestamps`; null if unknown.' }),
  })
  .meta({ id: 'LogLine', title: 'One line of a log' });

export const linesShape = z
  .object({
    from_line: z.int().min(1),
    lines: z.array(logLineShape),
    total_lines: count.meta({ title: 'Lines of the log so far' }),
    next_from_line: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: '`from_line` of the next page. Null when there is none so far.' }),
  })
  .meta({ id: 'LogLines', title: 'Lines of a build’s log by their numbers' });

export const matchesShape = z
  .object({
    matches: z.array(logLineShape),
    total_matches: count.meta({ title: 'Matching lines in the whole log' }),
    matches_before: count.meta({ description: 'Matches before `from_line`' }),
    next_from_line: z
      .int()
      .min(1)
      .nullable()
      .meta({ title: '`from_line` that goes on with the next match; null when there is none' }),
  })
  .meta({ id: 'LogMatches', title: 'Lines of a build’s log that contain a text' });

export function segmentView(segment: LogSegment): z.infer<typeof segmentShape> {
  return {
    build_id: segment.buildId,
    offset: segment.offset,
    next_offset: segment.nextOffset,
    data: segment.data.toString('utf8'),
    eof: segment.eof,
    status: segment.status,
  };
}

interface Line {
  readonly n: number;
  readonly text: string;
  readonly cut: boolean;
  readonly open?: boolean;
  readonly isOwn: boolean;
  readonly at?: number | null;
}

/** @param plain without terminal escape sequences */
export function logLineView({ n, text, cut, open, isOwn, at }: Line, plain: boolean): z.infer<typeof logLineShape> {
  return {
    n,
    text: plain ? withoutEscapes(text) : text,
    ...(cut ? { cut } : {}),
    ...(open ? { open } : {}),
    ...(isOwn ? { source: 'service' as const } : {}),
    ...(at === undefined ? {} : { at: isoTime(at) }),
  };
}

export function linesView(page: LogPage, plain: boolean): z.infer<typeof linesShape> {
  return {
    from_line: page.fromLine,
    lines: page.lines.map((line) => logLineView(line, plain)),
    total_lines: page.totalLines,
    next_from_line: page.nextFromLine,
  };
}

export function matchesView(found: OwnMatches, plain: boolean): z.infer<typeof matchesShape> {
  return {
    matches: found.matches.map((line) => logLineView(line, plain)),
    total_matches: found.total,
    matches_before: found.before,
    next_from_line: found.next,
  };
}
