// The short form of a build, for programs that wait: below 300 bytes.
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time } from '../../platform/http/values.js';
import type { PlacedBuild } from '../app/queue.js';
import { buildVersion, phaseOf } from '../domain/build-version.js';
import { buildStatus, failureStep } from '../domain/build-words.js';
import { silentSeconds } from '../domain/stall.js';

/**
 * The fields are described only with the whole build, because every program that reads the reference pays for each
 * word.
 */
export const buildBriefShape = z
  .object({
    id: z.string(),
    status: buildStatus,
    version: z.string().meta({ description: 'Changes with status, attempt, step or stall; send it as `since`' }),
    phase: failureStep.nullable().meta({ description: 'Null unless it runs' }),
    silent_s: z.int().min(0).nullable(),
    estimated_end_at: time.nullable(),
    last_line: z.string().nullable().meta({ description: 'Of its log: text of the build' }),
  })
  .meta({ id: 'BuildBrief' });

/** @param lastLine as the build printed it */
export function buildBriefView(
  { build, expectedEndAt = null }: PlacedBuild,
  lastLine: string | null,
  now: number,
): z.infer<typeof buildBriefShape> {
  return {
    id: build.buildId,
    status: build.status,
    version: buildVersion(build),
    phase: phaseOf(build),
    silent_s: silentSeconds(build, now),
    estimated_end_at: build.status === 'running' ? isoTime(expectedEndAt) : null,
    last_line: lastLine === null ? null : cutToBytes(cleanText(lastLine, LINE_BYTES), LINE_BYTES),
  };
}

/** Leaves the whole below 300 bytes. */
const LINE_BYTES = 90;

/** Cuts a text to the bytes that it has as JSON, between characters. */
function cutToBytes(text: string, max: number): string {
  let left = max;
  let kept = '';
  for (const character of text) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (left < 0) return kept;
    kept += character;
  }
  return kept;
}
