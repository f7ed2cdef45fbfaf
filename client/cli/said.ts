// Says messages of the service from their codes and values. A service of an older version has only the texts.
import { buildWarnings } from '../../shared/messages/build-warnings.js';
import { deliveryErrors } from '../../shared/messages/delivery-errors.js';
import { failureAdvice, nextSteps } from '../../shared/messages/failure-advice.js';
import { failureCauses } from '../../shared/messages/failure-causes.js';
import { macProblems } from '../../shared/messages/mac-problems.js';
import { type Message, say, sentenceOf, type Table } from '../../shared/messages/message.js';
import { secretWarnings } from '../../shared/messages/secret-warnings.js';
import type { Build, BuildFailure, FailureReport, Secret } from '../types.js';

const said = <T extends string | null>(table: Table, message: Message | null | undefined, text: T): string | T =>
  message ? say(table, 'en', message) : text;

export const warningsOf = (build: Pick<Build, 'warnings'> & Partial<Build>): string[] =>
  build.warnings.map((text, at) => said(buildWarnings, build.warning_messages?.[at], text));

export const deliveryError = (failed: { error: string | null; error_message?: Message | null }): string | null =>
  said(deliveryErrors, failed.error_message, failed.error);

type Failed = Pick<BuildFailure, 'summary' | 'suggestion' | 'location'> & Partial<BuildFailure>;

/** Begins with the location, if there is one. */
export function summaryOf({ summary, summary_message: message, location }: Failed): string {
  const sentence = message ? sentenceOf(failureCauses, 'en', message) : null;
  if (sentence === null) return summary;
  return location ? `${location.file}:${location.line}: ${sentence}` : sentence;
}

export const suggestionOf = ({ suggestion, suggestion_message: message }: Failed): string =>
  said(failureAdvice, message, suggestion);

export const adviceOf = ({ advice, advice_message: message }: Pick<FailureReport, 'advice'> & Partial<FailureReport>) =>
  said(nextSteps, message, advice);

export const problemOf = (problem: Message): string => say(macProblems, 'en', problem);

export const secretWarningOf = ({ warning, warning_message: message }: Pick<Secret, 'warning'> & Partial<Secret>) =>
  said(secretWarnings, message, warning);
