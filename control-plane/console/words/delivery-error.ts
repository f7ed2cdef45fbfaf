// Why a webhook or a commit status could not be delivered, in languages that the API does not speak: by the API's text.
import type { Language } from '../../../shared/language.js';
import { byText, type TextRow } from './by-text.js';

const rows: readonly TextRow[] = [
  [/^answered (\d+)$/, (status) => `HTTP ${status} 응답`],
  [/^no answer within (\d+) seconds?$/, (s) => `${s}초 안에 응답이 없습니다`],
  [/^no answer \((.+)\)$/, (code) => `응답이 없습니다(${code})`],
  [/^no answer$/, () => '응답이 없습니다'],
  [/^(.+) cannot be resolved \((.+)\)$/, (host, code) => `호스트 이름을 찾을 수 없습니다: ${host} (${code})`],
  [/^stopped$/, () => '서비스가 종료되어 전송이 중단되었습니다'],
  [/^the webhook was disabled$/, () => '비활성화된 웹훅입니다'],
  [/^must be a URL$/, () => '올바른 URL이 아닙니다'],
  [/^must not hold a user name or password$/, () => '주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다'],
  [/^must be an http or https address$/, () => 'http 또는 https 주소여야 합니다'],
  [/^must be an https address$/, () => 'https 주소여야 합니다'],
  [
    /^must have port 443, or /,
    () => '443번 포트 또는 다른 서비스에 쓰이지 않는 1024번 이상의 포트여야 합니다',
  ],
  [/^must not lead to a private /, () => '사설 주소나 특수 용도 주소로는 보낼 수 없습니다'],
  [
    /^not sent: the signing secret of notify_url /,
    () => 'notify_url의 서명 시크릿을 복호화할 수 없어 보내지 않았습니다',
  ],
  [
    /^not sent: the signing secret cannot /,
    () => '서명 시크릿을 복호화할 수 없어 보내지 않았습니다. 시크릿을 교체하세요',
  ],
];

/** Returns the API's text where there is none in the language. */
export const deliveryError = (text: string, language: Language): string => byText(rows, text, language);
