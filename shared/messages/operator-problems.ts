// What is wrong with a host, a tier or a payment, for operators. The name of the host precedes the sentence.
import { countOf } from '../count.js';
import { messagesOf, sentence, sentences } from './message.js';

const amount = new Intl.NumberFormat('en');

export const operatorProblems = sentences({
  // Of a host.
  never_connected: {
    en: 'has not connected since {since}',
    ko: '{since} 등록 이후 연결된 적이 없습니다',
  },
  not_heard: { en: 'not heard since {since}', ko: '{since} 이후 응답이 없습니다' },
  checks_failed: sentence(
    { checks: 'text', warnings: 'number' },
    {
      en: ({ checks, warnings }) => `failed: ${checks}${warnings === 0 ? '' : `; ${countOf(warnings, 'warning')}`}`,
      ko: ({ checks, warnings }) => `실패한 점검: ${checks}${warnings === 0 ? '' : `, 경고 ${warnings}개`}`,
    },
  ),
  disk_low: {
    en: '{free} free, less than the reserve of {reserve}: takes no builds',
    ko: '여유 공간이 {free}로 예비 공간 {reserve}보다 적어 빌드를 받지 않습니다',
  },
  /** `macs`: organization, Mac and code of the cause of each. */
  macs_failing: sentence(
    { count: 'number', macs: 'text' },
    {
      en: ({ count, macs }) => `cannot make ${countOf(count, 'Mac')}, and keeps trying: ${macs}`,
      ko: ({ count, macs }) => `Mac ${count}대를 만들지 못해 다시 시도하고 있습니다: ${macs}`,
    },
  ),
  two_agents: {
    en: 'two agents used its credential ({at}), from {addresses}',
    ko: '두 에이전트가 같은 인증 정보를 사용했습니다({at}, {addresses})',
  },
  other_machine: {
    en: 'another machine used its credential ({at}), from {now} (before: {before})',
    ko: '다른 기기가 인증 정보를 사용했습니다({at}, {now}, 이전: {before})',
  },
  /** The address before is not known. */
  other_machine_from: {
    en: 'another machine used its credential ({at}), from {now}',
    ko: '다른 기기가 인증 정보를 사용했습니다({at}, {now})',
  },

  // Of a tier.
  few_slots: {
    en: '{free, number} of {total, number} slots can be sold ({used, number} used, {unsellable, number} unsellable)',
    ko: '슬롯 {total}개 중 {free}개를 판매할 수 있습니다(사용 중 {used}개, 판매 불가 {unsellable}개)',
  },

  // Of a payment.
  over_returned: sentence(
    { won: 'number' },
    {
      en: ({ won }) => `${amount.format(won)} won more were returned than were charged`,
      ko: ({ won }) => `결제 금액보다 ${amount.format(won)}원 더 환불되었습니다`,
    },
  ),
  over_returned_unknown: {
    en: 'more was returned than was charged',
    ko: '결제 금액보다 더 환불되었습니다',
  },
  refund_refused: sentence(
    { won: 'number' },
    {
      en: ({ won }) => `the provider refuses the refund of ${amount.format(won)} won`,
      ko: ({ won }) => `결제 대행사가 ${amount.format(won)}원 환불을 거부합니다`,
    },
  ),
  whole_refund_refused: {
    en: 'the provider refuses the refund of the whole charge',
    ko: '결제 대행사가 전액 환불을 거부합니다',
  },
});

/** @example operatorProblem('not_heard', { since: '2026-03-01T09:00:00.000Z' }) */
export const operatorProblem = messagesOf(operatorProblems);
