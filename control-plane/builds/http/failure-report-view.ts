// The failure report of a build: GET /builds/{id}/failure.

import { z } from 'zod';
import { cleanLine } from '../../../shared/clean-text.js';
import { plainName } from '../../../shared/paths/artifact-name.js';
import { buildLogUrl } from '../../platform/domain/addresses.js';
import { defaultLimits, type Limits } from '../../platform/domain/limits.js';
import { messageShape, messageView } from '../../platform/http/message-view.js';
import { nextRequestShape } from '../../platform/http/next-request-view.js';
import { count } from '../../platform/http/values.js';
import type { NumberedLine } from '../app/build-log-lines.js';
import type { FailureReport } from '../app/failure-reports.js';
import { buildStatus, endReason } from '../domain/build-words.js';
import { failureAdvice, failureNext } from '../domain/failure-advice.js';
import { logLineShape, logLineView } from './build-log-view.js';
import { failureShape, failureView, type ViewContext } from './build-view.js';

export const failureReportShape = z
  .object({
    build_id: z.string(),
    status: buildStatus,
    exit_code: z.int().nullable().meta({ description: '128 + n after signal n' }),
    end_reason: endReason.nullable().meta({ title: 'Null until it has ended' }),
    failure: failureShape.nullable().meta({ title: 'Null unless it has failed' }),
    advice: z.string().meta({ title: 'What to do next, in a sentence' }),
    advice_message: messageShape.meta({ title: '`advice` as a code with values' }),
    next: z.array(nextRequestShape),
    lines: z.array(logLineShape).meta({
      description: `Lines of the log that show the cause. By default at most ${defaultLimits.failure_lines}, of at most ${defaultLimits.failure_line_chars} characters each, without escape sequences and invisible characters`,
    }),
    tail: z.array(logLineShape).meta({
      description: `The last lines of the log, without \`lines\`. By default at most ${defaultLimits.failure_tail_lines}.`,
    }),
    total_lines: count.meta({ title: 'Lines of the log so far' }),
    artifacts: z
      .array(z.object({ id: z.string(), path: z.string(), bytes: count, sha256: z.string().nullable() }))
      .meta({
        description: `Newest first. By default at most ${defaultLimits.failure_artifacts}.`,
      }),
    more_artifacts: z.boolean().meta({ title: 'True: there are more artifacts than these' }),
  })
  .meta({
    id: 'FailureReport',
    title: 'Why a build failed and what to do about it, in one answer of bounded size',
  });

export function failureReportView(
  { build, ...report }: FailureReport,
  { site }: ViewContext,
  limits: Pick<Limits, 'failure_line_chars'>,
): z.infer<typeof failureReportShape> {
  const advice = failureAdvice(build);
  const line = (one: NumberedLine) => lineView(one, limits.failure_line_chars);
  return {
    build_id: build.buildId,
    status: build.status,
    exit_code: build.exitCode,
    end_reason: build.endReason,
    failure: build.failure && failureView(build.failure, buildLogUrl(site, build.buildId)),
    advice: advice.text,
    advice_message: messageView(advice),
    next: failureNext(build),
    lines: report.lines.map(line),
    tail: report.tail.map(line),
    total_lines: report.totalLines,
    artifacts: report.artifacts.map(({ fileId, name, bytes, sha256 }) => ({
      id: fileId,
      path: plainName(name),
      bytes,
      sha256,
    })),
    more_artifacts: report.moreArtifacts,
  };
}

function lineView(line: NumberedLine, mostChars: number): z.infer<typeof logLineShape> {
  const { text, cut } = cleanLine(line.text, mostChars);
  return logLineView({ ...line, text, cut: line.cut || cut }, false);
}
