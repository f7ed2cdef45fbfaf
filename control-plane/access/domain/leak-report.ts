// Reports of GitHub's secret scanning: a list of matches, signed over the bytes of the body.
import { createVerify } from 'node:crypto';
import { z } from 'zod';
import type { NoticeWords } from './notice.js';

export const leakReport = z.array(
  z.object({ token: z.string(), type: z.string().optional(), url: z.string().optional() }),
);

/**
 * Verifies `signature` (base64 of a DER-encoded ECDSA signature) of `body`.
 *
 * @param pem a P-256 public key
 */
export function isSignedReport(pem: string, signature: string, body: Buffer): boolean {
  try {
    return createVerify('SHA256').update(body).verify(pem, signature, 'base64');
  } catch {
    // An invalid key or signature.
    return false;
  }
}

/**
 * The notice about a key that was found in public.
 *
 * @param key name and prefix
 * @param url where it was found; null: the report does not say
 */
export const keyLeaked = (key: string, url: string | null): NoticeWords => ({
  en: {
    subject: `The API key ${key} was found in public and has been revoked`,
    text: [
      `The API key ${key} was found in public and has been revoked. Requests with it are refused.`,
      url === null ? 'The report does not say where.' : `It was found here: ${url}`,
      'Create a new key, and check whether the old one was used for anything that you did not do.',
    ].join('\n\n'),
  },
  ko: {
    subject: `API 키 ${key} 유출 발견, 폐기 완료`,
    text: [
      `공개된 곳에서 API 키 ${key}의 유출이 발견되어 폐기했습니다. 이 키를 사용한 요청은 거부됩니다.`,
      url === null ? '신고에는 발견된 위치가 없습니다.' : `발견된 위치: ${url}`,
      '새 키를 만들고, 이전 키로 직접 하지 않은 작업이 있었는지 확인하세요.',
    ].join('\n\n'),
  },
});
