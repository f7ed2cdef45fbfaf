// Errors of operators’ endpoints and of the link to hosts.
import { clientError, type ErrorRow } from './row.js';

export const hostsErrors = {
  operator_token_required: {
    ...clientError(401),
    message: 'Send the operator token of the service (CIDERMILL_OPERATOR_TOKEN) as a bearer token.',
    advice: 'Send the operator token of the service as `Authorization: Bearer <token>`.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['운영자 토큰이 필요합니다.', '운영자 토큰을 Authorization 헤더에 넣어 보내세요.'],
  },
  invalid_enrolment_token: {
    ...clientError(401),
    message: 'The enrollment token is unknown, used or expired; make a new one with "cidermill admin host enroll".',
    advice: 'Make a new token (`cidermill admin host enroll`) and use it before it expires.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['존재하지 않거나 이미 사용되었거나 만료된 등록 토큰입니다.', '새 등록 토큰을 만드세요.'],
  },
  invalid_host_credential: {
    ...clientError(401),
    message: 'The host is unknown or has been removed; enroll it.',
    advice: 'Enroll the host again.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['등록되지 않았거나 제거된 호스트입니다.', '호스트를 다시 등록하세요.'],
  },
  host_not_found: {
    ...clientError(404),
    message: 'No such host.',
    advice: '`cidermill admin host list` lists the hosts.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['호스트를 찾을 수 없습니다.', '호스트 목록에서 다시 확인하세요.'],
  },
  host_state: {
    ...clientError(409),
    message: "The host's state does not allow this.",
    advice: 'Check the state of the host with `cidermill admin host list`.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['호스트의 현재 상태에서는 할 수 없는 작업입니다.', '호스트의 상태를 확인하세요.'],
  },
  invalid_artifact: {
    ...clientError(400),
    message: 'The artifact does not have the announced size or hash, or its name is refused.',
    advice: 'Send the file again, with the size and the hash of its content and a name that is allowed.',
    next: [],
    example: { form: 'console' },
    en: null,
    ko: ['아티팩트의 크기나 해시가 예고한 값과 다르거나 허용되지 않는 이름입니다.', '파일을 다시 보내세요.'],
  },
} as const satisfies Record<string, ErrorRow>;
