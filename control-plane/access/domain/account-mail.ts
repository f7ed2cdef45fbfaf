// Mails to a person about how they sign in, so that a change by somebody else is noticed.
import type { Language } from '../../../shared/language.js';
import type { NoticeText } from '../../../shared/messages/notice.js';

/** What has changed. */
export type AccountChange =
  | { readonly kind: 'totp_on' | 'totp_off' | 'recovery_codes_new' | 'factors_removed' }
  | {
      readonly kind: 'passkey_added' | 'passkey_removed' | 'identity_linked' | 'identity_unlinked';
      readonly name: string;
    }
  | { readonly kind: 'recovery_code_used'; readonly left: number };

type Of<Kind extends AccountChange['kind']> = AccountChange & { readonly kind: Kind };
type Subjects = { readonly [Kind in AccountChange['kind']]: (change: Of<Kind>) => string };

const subjects: Readonly<Record<Language, Subjects>> = {
  en: {
    totp_on: () => 'Two-step sign-in is on',
    totp_off: () => 'Two-step sign-in is off',
    recovery_codes_new: () => 'You have new recovery codes',
    factors_removed: () => 'An operator has turned off two-step sign-in',
    passkey_added: ({ name }) => `A passkey was added: ${name}`,
    passkey_removed: ({ name }) => `A passkey was removed: ${name}`,
    identity_linked: ({ name }) => `You can now sign in with an account at ${name}`,
    identity_unlinked: ({ name }) => `You can no longer sign in with your account at ${name}`,
    recovery_code_used: ({ left }) => `A recovery code was used; ${left} left`,
  },
  ko: {
    totp_on: () => '2단계 로그인을 켰습니다',
    totp_off: () => '2단계 로그인을 껐습니다',
    recovery_codes_new: () => '복구 코드를 새로 만들었습니다',
    factors_removed: () => '운영자가 2단계 로그인을 해제했습니다',
    passkey_added: ({ name }) => `패스키를 추가했습니다: ${name}`,
    passkey_removed: ({ name }) => `패스키를 삭제했습니다: ${name}`,
    identity_linked: ({ name }) => `${name} 계정을 연결했습니다`,
    identity_unlinked: ({ name }) => `${name} 계정 연결을 해제했습니다`,
    recovery_code_used: ({ left }) => `복구 코드를 사용했습니다 (${left}개 남음)`,
  },
};

const texts: Readonly<Record<Language, (subject: string, email: string, siteUrl: string) => string>> = {
  en: (subject, email, siteUrl) =>
    [
      `${subject}, for ${email} at ${siteUrl}.`,
      `If this was not you, change your password at ${siteUrl}/settings and tell the operator of the service.`,
    ].join('\n\n'),
  ko: (subject, email, siteUrl) =>
    [
      `${subject}.\n계정: ${email}\n서비스: ${siteUrl}`,
      `직접 한 작업이 아니라면 ${siteUrl}/settings 에서 비밀번호를 변경하고 서비스 운영자에게 알려 주세요.`,
    ].join('\n\n'),
};

export function accountMail(
  language: Language,
  change: AccountChange,
  { email, siteUrl }: { email: string; siteUrl: string },
): NoticeText {
  const describe = subjects[language][change.kind] as (change: AccountChange) => string;
  const subject = describe(change);
  return { subject, text: texts[language](subject, email, siteUrl) };
}
