// Errors of signing in with the identity provider.
import { clientError, type ErrorRow } from './row.js';

export const identitiesErrors = {
  identity_refused: {
    ...clientError(401),
    message:
      'The answer of the identity provider was not accepted: it came too late or twice, is for another request, or is about another account.',
    advice:
      'Begin again with `POST /v1/session/provider/begin`; each answer is used once, in the browser that has asked.',
    next: [],
    example: { form: 'console' },
    en: 'Start again. For a confirmation, sign in there with the account that is linked to yours here.',
    ko: [
      '외부 로그인 결과를 확인하지 못했습니다. 너무 늦었거나 이미 사용되었거나 다른 계정의 결과입니다.',
      '처음부터 다시 시도하세요. 본인 확인이라면 연결된 계정으로 로그인하세요.',
    ],
  },
  identity_provider_missing: {
    ...clientError(409),
    message: 'No identity provider is configured.',
    advice: 'Sign in another way. The operator of the service can configure one (`CIDERMILL_OIDC_ISSUER`).',
    next: [],
    example: { form: 'console' },
    en: 'Sign in with your password.',
    ko: ['이 서비스에는 외부 로그인이 설정되어 있지 않습니다.', '비밀번호로 로그인하세요.'],
  },
  identity_provider_unavailable: {
    status: 503,
    fault: 'platform',
    retryAfterS: 30,
    message: 'The identity provider does not answer, or refuses this service.',
    advice: 'Repeat the sign-in later, or sign in another way. The log of the service has the reason.',
    next: [],
    example: { form: 'console' },
    en: 'Try again in a minute, or sign in another way. If the problem stays, tell the operator of this service.',
    ko: [
      '외부 로그인 서비스가 응답하지 않거나 요청을 거부했습니다.',
      '잠시 후 다시 시도하거나 다른 방법으로 로그인하세요. 계속되면 서비스 운영자에게 알려 주세요.',
    ],
  },
  identity_provider_declined: {
    ...clientError(401),
    message: 'The identity provider has not signed the person in: it was canceled, or is not permitted there.',
    advice: 'Begin again with `POST /v1/session/provider/begin`, or sign in another way.',
    next: [],
    example: { form: 'console' },
    en: 'Start again, or sign in another way.',
    ko: ['외부 로그인이 취소되었거나 허용되지 않았습니다.', '다시 시도하거나 다른 방법으로 로그인하세요.'],
  },
  identity_email_unverified: {
    ...clientError(403),
    message: 'The identity provider did not send a verified e-mail address.',
    advice: 'Verify the address of the account there (`email_verified`), or sign in another way.',
    next: [],
    example: { form: 'console' },
    en: 'Verify your e-mail address there, or sign in another way.',
    ko: ['외부 계정의 이메일이 인증되지 않았습니다.', '외부 계정에서 이메일을 인증하거나 다른 방법으로 로그인하세요.'],
  },
  identity_domain_refused: {
    ...clientError(403),
    message: 'Accounts with an e-mail address of this domain may not sign in here.',
    advice: 'Use an account of your organization. The operator chooses the domains (`CIDERMILL_OIDC_ALLOWED_DOMAINS`).',
    next: [],
    example: { form: 'console' },
    en: 'Use an account of your organization. If the wrong account is used there, sign out there first.',
    ko: [
      '이 이메일 도메인의 계정으로는 로그인할 수 없습니다.',
      '회사 계정을 사용하세요. 다른 계정이 선택된다면 먼저 외부 서비스에서 로그아웃하세요.',
    ],
  },
  identity_not_linked: {
    ...clientError(403),
    message:
      'The person with this e-mail address removed the link to the identity provider, or is linked to another account there.',
    advice: 'Sign in as before, then link the account in the settings (`POST /v1/identity`).',
    next: [],
    example: { form: 'console' },
    en: 'Sign in with your password once, then link the account in your settings.',
    ko: [
      '이 이메일의 계정은 외부 계정 연결을 해제했거나 다른 외부 계정과 연결되어 있습니다.',
      '먼저 비밀번호로 로그인한 뒤 설정에서 계정을 연결하세요.',
    ],
  },
  identity_not_invited: {
    ...clientError(403),
    message: 'No user of this service is linked to this account at the identity provider.',
    advice: 'Open the link of an invitation to the e-mail address of the account, and continue there.',
    next: [],
    example: { form: 'console' },
    en: 'Open the link of your invitation and continue there. Owners and admins of an organization invite people.',
    ko: [
      '이 외부 계정으로 가입된 사용자가 없습니다.',
      '초대 링크를 열어 진행하세요. 초대는 조직의 소유자나 관리자가 보낼 수 있습니다.',
    ],
  },
  identity_taken: {
    ...clientError(409),
    message: 'This account at the identity provider is linked to somebody else, or another one is linked to you.',
    advice: 'Remove the link there (`DELETE /v1/identity`), then link the account again.',
    next: [],
    example: { form: 'console' },
    en: 'Remove the other link first.',
    ko: [
      '다른 사용자와 연결된 외부 계정이거나, 이미 다른 외부 계정이 연결되어 있습니다.',
      '기존 연결을 먼저 해제하세요.',
    ],
  },
  identity_needed: {
    ...clientError(409),
    message: 'Without the link and without a password the person could no longer sign in.',
    advice: 'Set a password with a link for a new one first.',
    next: [],
    example: { form: 'console' },
    en: 'Set a password first: ask for a link on the page for forgotten passwords.',
    ko: [
      '비밀번호가 없어 연결을 해제하면 로그인할 수 없게 됩니다.',
      '먼저 비밀번호 재설정 페이지에서 링크를 받아 비밀번호를 설정하세요.',
    ],
  },
} as const satisfies Record<string, ErrorRow>;
