// Why a webhook or a commit status could not be delivered, and why the address of a webhook is not allowed.
import { countOf } from '../count.js';
import { messagesOf, sentence, sentences } from './message.js';

export const deliveryErrors = sentences({
  answered: { en: 'answered {status, number}', ko: 'HTTP {status} 응답' },
  answered_gone: {
    en: 'the receiver answered {status, number}',
    ko: '수신자가 HTTP {status} 응답을 보내 더 보내지 않습니다',
  },
  no_answer_in_time: sentence(
    { seconds: 'number' },
    {
      en: ({ seconds }) => `no answer within ${countOf(seconds, 'second')}`,
      ko: ({ seconds }) => `${seconds}초 안에 응답이 없습니다`,
    },
  ),
  no_answer: { en: 'no answer', ko: '응답이 없습니다' },
  no_answer_because: { en: 'no answer ({reason})', ko: '응답이 없습니다({reason})' },
  name_not_resolved: {
    en: '{host} cannot be resolved ({reason})',
    ko: '호스트 이름을 찾을 수 없습니다: {host} ({reason})',
  },
  code_host_answered: { en: '{name} answered {status, number}', ko: '{name} 응답: HTTP {status}' },
  code_host_refused: { en: '{name} answered {status, number}: {reason}', ko: '{name} 응답: HTTP {status}, {reason}' },
  code_host_late: { en: '{name} did not answer in time', ko: '{name} 응답이 제때 오지 않았습니다' },
  code_host_not_reached: { en: '{name} did not answer ({reason})', ko: '{name} 응답이 없습니다({reason})' },
  code_host_changed: { en: 'the code host was changed', ko: '코드 호스트가 변경되었습니다' },
  token_unreadable: {
    en: 'the secret {names} cannot be decrypted; set it again',
    ko: '시크릿을 복호화할 수 없습니다. 다시 설정하세요: {names}',
  },
  stopped: { en: 'stopped', ko: '서비스가 종료되어 전송이 중단되었습니다' },
  webhook_disabled: { en: 'the webhook was disabled', ko: '비활성화된 웹훅입니다' },
  webhook_removed: { en: 'the webhook was removed', ko: '삭제된 웹훅입니다' },
  no_webhook: { en: 'no webhook is configured', ko: '설정된 웹훅이 없습니다' },
  not_a_url: { en: 'must be a URL', ko: '올바른 URL이 아닙니다' },
  url_with_password: {
    en: 'must not contain a user name or password',
    ko: '주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다',
  },
  not_http: { en: 'must be an http or https address', ko: 'http 또는 https 주소여야 합니다' },
  not_https: { en: 'must be an https address', ko: 'https 주소여야 합니다' },
  port_not_allowed: {
    en: 'must have port {port, number}, or a port from {least, number} on that is not reserved for another service',
    ko: '{port}번 포트 또는 다른 서비스에 쓰이지 않는 {least}번 이상의 포트여야 합니다',
  },
  address_not_public: {
    en: 'must not resolve to a private or special-purpose address',
    ko: '사설 주소나 특수 용도 주소로는 보낼 수 없습니다',
  },
  notify_secret_unreadable: {
    en: 'not sent: the signing secret of notify_url cannot be decrypted',
    ko: 'notify_url의 서명 시크릿을 복호화할 수 없어 보내지 않았습니다',
  },
  webhook_secret_unreadable: sentence(
    {},
    {
      en: () => 'not sent: the signing secret cannot be decrypted; rotate it (POST /webhooks/{id}/rotate)',
      ko: () => '서명 시크릿을 복호화할 수 없어 보내지 않았습니다. 시크릿을 교체하세요',
    },
  ),
});

/** @example deliveryError('answered', { status: 502 }) */
export const deliveryError = messagesOf(deliveryErrors);
