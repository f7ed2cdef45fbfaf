// Turns a match of the failure table into the fields of a build's failure.

import { cleanText } from '../../../shared/clean-text.js';
import { type AdviceCode, adviceOf } from '../../../shared/messages/failure-advice.js';
import { failureCauses } from '../../../shared/messages/failure-causes.js';
import { type Message, uncoded, withTexts } from '../../../shared/messages/message.js';
import type { BuildFailure } from './build.js';
import { failureReasons, type ReasonCode } from './failure-reasons.js';
import type { FailureRow, Found } from './failure-row.js';
import { pathInWork, withoutWork } from './log-path.js';

/** Longest summary, in UTF-16 units. */
export const SUMMARY_CHARS = 600;
/** Longest message of a location. */
const MESSAGE_CHARS = 400;
const FILE_CHARS = 1024;
/** Default context lines around the matched line. */
const SHOWN: readonly [number, number] = [2, 5];

/** A line that matches a row of the table. */
export interface Candidate {
  readonly row: FailureRow;
  /** Number of the line in the log, from 1. */
  readonly line: number;
  /** Its last line. */
  lastLine: number;
  readonly text: string;
  found: Found;
}

type Said = Pick<BuildFailure, 'summary' | 'suggestion' | 'messages'>;

export interface LogFinding extends Said, Pick<BuildFailure, 'location' | 'logExcerptLines'> {
  readonly reasonCode: ReasonCode;
}

/** The texts of a failure, and their messages. @param place put before the summary's text, e.g. `App.swift:3: ` */
export function said(summary: Message, suggestion: Message, place = ''): Said {
  return {
    summary: cleanText(`${place}${summary.text}`, SUMMARY_CHARS),
    suggestion: suggestion.text,
    messages: {
      summary: withTexts(failureCauses, summary, (text) => cleanText(text, SUMMARY_CHARS)),
      suggestion,
    },
  };
}

/**
 * @param log.first first line of the attempt's own log
 * @param log.last last line of the stored log
 * @param work absolute path of the work folder, which must not be shown
 */
export function findingOf(
  candidate: Candidate,
  log: { readonly first: number; readonly last: number },
  work: string | null,
): LogFinding {
  const { row, found, text } = candidate;
  const told = row.say?.(found) ?? found.message ?? text;
  const message = withTexts(failureCauses, typeof told === 'string' ? uncoded(told) : told, (part) =>
    withoutWork(part, work),
  );
  const location = locationOf(found, cleanText(message.text, MESSAGE_CHARS), work);
  const place = location === null ? '' : `${location.file}:${location.line}: `;
  const [before, after] = row.show ?? SHOWN;
  return {
    reasonCode: row.reason,
    ...said(message, adviceOf(suggestionOf(row, location !== null)), place),
    location,
    logExcerptLines: [
      Math.max(log.first, candidate.line - before),
      Math.min(log.last, Math.max(candidate.line + after, candidate.lastLine)),
    ],
  };
}

/** Returns the suggestion for a matched row; without a location it must not refer to one. */
export function suggestionOf(row: FailureRow, hasLocation: boolean): AdviceCode {
  const { suggestion, elsewhere } = failureReasons[row.reason];
  if (row.suggestion !== undefined) return hasLocation ? row.suggestion : (row.elsewhere ?? row.suggestion);
  return hasLocation ? suggestion : elsewhere;
}

function locationOf(found: Found, message: string, work: string | null): BuildFailure['location'] {
  const number = found.line ?? found.row;
  if (found.file === undefined || number === undefined) return null;
  const file = pathInWork(found.file, work);
  const line = Number(number);
  if (file === null || line < 1) return null;
  return { file: cleanText(file, FILE_CHARS), line, message };
}
