// Why a build failed: the sentence of the service, or what a tool said. What a tool said is in English; in other
// languages it is quoted below a sentence of the reason code.
import type { Language } from '../../../shared/language.js';
import { failureCauses } from '../../../shared/messages/failure-causes.js';
import { failureReasonNames } from '../../../shared/messages/failure-reason-names.js';
import { type Message, sentenceOf } from '../../../shared/messages/message.js';

export interface FailureSummary {
  readonly text: string;
  /** The words of a tool. */
  readonly quote: string | null;
}

interface Failure {
  readonly reason_code: string;
  readonly summary: string;
  readonly summary_message: Message;
}

/** @example failureSummary(failure, 'ko') // { text: '컴파일 오류가 …', quote: 'App.swift:3: cannot find …' } */
export function failureSummary(failure: Failure, language: Language): FailureSummary {
  const { reason_code: code, summary } = failure;
  const sentence = sentenceOf(failureCauses, language, failure.summary_message);
  if (sentence !== null) return { text: sentence, quote: null };
  const name = language === 'en' ? null : sentenceOf(failureReasonNames, language, { code, params: {} });
  return name === null ? { text: summary, quote: null } : { text: name, quote: summary };
}
