// Why a host does not move to another address of its service.
import { messagesOf, sentences } from './message.js';

export const moveErrors = sentences({
  not_an_address: { en: '{url} is not an http or https address.', ko: 'http 또는 https 주소가 아닙니다: {url}' },
  not_encrypted: {
    en: '{url} is not encrypted, and the present address is.',
    ko: '현재 주소와 달리 암호화되지 않은 주소입니다: {url}',
  },
  unreachable: { en: '{url} cannot be reached: {reason}.', ko: '{url}에 연결할 수 없습니다: {reason}' },
  no_answer: {
    en: '{url} did not answer within {seconds, number} s.',
    ko: '{url}에서 {seconds}초 안에 응답하지 않았습니다.',
  },
  not_cidermill: {
    en: 'What answers at {url} is not a Cidermill service.',
    ko: '{url}에서 응답한 것은 Cidermill 서비스가 아닙니다.',
  },
  not_now: {
    en: 'What answers at {url} is not this service, or the service is not available now ({status, number}).',
    ko: '{url}에서 응답한 것은 이 서비스가 아니거나 지금은 사용할 수 없습니다({status}).',
  },
  another_service: {
    en: 'The service at {url} is another one: it does not know the credential of this host.',
    ko: '{url}의 서비스는 다른 서비스입니다. 이 호스트의 인증 정보를 알지 못합니다.',
  },
  unknown_host: {
    en: 'The service at {url} does not know this host.',
    ko: '{url}의 서비스에 등록되지 않은 호스트입니다.',
  },
  other_name: {
    en: 'The service at {url} gives {name} as its address: set CIDERMILL_SITE_URL to the new address first.',
    ko: '{url}의 서비스가 사용하는 주소는 {name}입니다. 먼저 CIDERMILL_SITE_URL을 새 주소로 설정하세요.',
  },
  not_accepted: {
    en: 'The service at {url} did not accept the link within {seconds, number} s.',
    ko: '{url}의 서비스가 {seconds}초 안에 연결을 받아들이지 않았습니다.',
  },
  not_written: {
    en: 'The new address cannot be written: {reason}',
    ko: '새 주소를 저장할 수 없습니다: {reason}',
  },
  failed: { en: 'The move failed: {reason}', ko: '이동하지 못했습니다: {reason}' },
});

export const moveError = messagesOf(moveErrors);
