// What may surprise somebody who has stored a secret.
import { messagesOf, sentences } from './message.js';

export const secretWarnings = sentences({
  not_masked: {
    en: 'The value has fewer than {bytes, number} bytes besides blanks and is not masked in logs.',
    ko: '값에서 공백을 뺀 길이가 {bytes}바이트 미만이라 로그에서 가려지지 않습니다.',
  },
});

/** @example secretWarning('not_masked', { bytes: 4 }) */
export const secretWarning = messagesOf(secretWarnings);
