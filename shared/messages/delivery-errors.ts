// Why a webhook or a commit status could not be delivered, and why the address of a webhook is not allowed.
import { countOf } from '../count.js';
import { type ArgumentsOf, type Message, message, plain, sentence } from './message.js';

export const deliveryErrors = {
  answered: sentence(
    { status: 'number' },
    { en: ({ status }) => `answered ${status}`, ko: ({ status }) => `HTTP ${status} 응답` },
  ),
  answered_gone: sentence(
    { status: 'number' },
    {
      en: ({ status }) => `the receiver answered ${status}`,
      ko: ({ status }) => `수신자가 HTTP ${status}(으)로 응답하여 더 보내지 않습니다`,
    },
  ),
  no_answer_in_time: sentence(
    { seconds: 'number' },
    {
      en: ({ seconds }) => `no answer within ${countOf(seconds, 'second')}`,
      ko: ({ seconds }) => `${seconds}초 안에 응답이 없습니다`,
    },
  ),
  no_answer: plain({ en: 'no answer', ko: '응답이 없습니다' }),
  no_answer_because: sentence(
    { reason: 'text' },
    { en: ({ reason }) => `no answer (${reason})`, ko: ({ reason }) => `응답이 없습니다(${reason})` },
  ),
  name_not_resolved: sentence(
    { host: 'text', reason: 'text' },
    {
      en: ({ host, reason }) => `${host} cannot be resolved (${reason})`,
      ko: ({ host, reason }) => `호스트 이름을 찾을 수 없습니다: ${host} (${reason})`,
    },
  ),
  code_host_answered: sentence(
    { name: 'text', status: 'number' },
    {
      en: ({ name, status }) => `${name} answered ${status}`,
      ko: ({ name, status }) => `${name} 응답: HTTP ${status}`,
    },
  ),
  code_host_refused: sentence(
    { name: 'text', status: 'number', reason: 'text' },
    {
      en: ({ name, status, reason }) => `${name} answered ${status}: ${reason}`,
      ko: ({ name, status, reason }) => `${name} 응답: HTTP ${status}, ${reason}`,
    },
  ),
  code_host_late: sentence(
    { name: 'text' },
    {
      en: ({ name }) => `${name} did not answer in time`,
      ko: ({ name }) => `${name} 응답이 제때 오지 않았습니다`,
    },
  ),
  code_host_not_reached: sentence(
    { name: 'text', reason: 'text' },
    {
      en: ({ name, reason }) => `${name} did not answer (${reason})`,
      ko: ({ name, reason }) => `${name} 응답이 없습니다(${reason})`,
    },
  ),
  code_host_changed: plain({ en: 'the code host was changed', ko: '코드 호스트가 변경되었습니다' }),
  token_unreadable: sentence(
    { names: 'text' },
    {
      en: ({ names }) => `the secret ${names} cannot be decrypted; set it again`,
      ko: ({ names }) => `시크릿을 복호화할 수 없습니다. 다시 설정하세요: ${names}`,
    },
  ),
  stopped: plain({ en: 'stopped', ko: '서비스가 종료되어 전송이 중단되었습니다' }),
  webhook_disabled: plain({ en: 'the webhook was disabled', ko: '비활성화된 웹훅입니다' }),
  webhook_removed: plain({ en: 'the webhook was removed', ko: '삭제된 웹훅입니다' }),
  not_a_url: plain({ en: 'must be a URL', ko: '올바른 URL이 아닙니다' }),
  url_with_password: plain({
    en: 'must not hold a user name or password',
    ko: '주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다',
  }),
  not_http: plain({ en: 'must be an http or https address', ko: 'http 또는 https 주소여야 합니다' }),
  not_https: plain({ en: 'must be an https address', ko: 'https 주소여야 합니다' }),
  port_not_allowed: sentence(
    { port: 'number', least: 'number' },
    {
      en: ({ port, least }) => `must have port ${port}, or one from ${least} on that is not known as another service`,
      ko: ({ port, least }) => `${port}번 포트 또는 다른 서비스에 쓰이지 않는 ${least}번 이상의 포트여야 합니다`,
    },
  ),
  address_not_public: plain({
    en: 'must not lead to a private or special-purpose address',
    ko: '사설 주소나 특수 용도 주소로는 보낼 수 없습니다',
  }),
  notify_secret_unreadable: plain({
    en: 'not sent: the signing secret of notify_url cannot be decrypted',
    ko: 'notify_url의 서명 시크릿을 복호화할 수 없어 보내지 않았습니다',
  }),
  webhook_secret_unreadable: plain({
    en: 'not sent: the signing secret cannot be decrypted; rotate it (POST /webhooks/{id}/rotate)',
    ko: '서명 시크릿을 복호화할 수 없어 보내지 않았습니다. 시크릿을 교체하세요',
  }),
};

type Codes = typeof deliveryErrors;

/** @example deliveryError('answered', { status: 502 }) */
export const deliveryError = <C extends keyof Codes>(code: C, ...params: ArgumentsOf<Codes, C>): Message =>
  message(deliveryErrors, code, ...params);
