// Errors about secrets and webhooks.
import { checkId, koreanWait } from './phrases.js';
import { clientError, type ErrorRow } from './row.js';
import { suggest } from './suggestions.js';

export const secretsAndWebhooksErrors = {
  secret_not_found: {
    ...clientError(404),
    message: 'No secret of that name.',
    advice: 'Check the name against `GET /secrets`.',
    next: [suggest.secrets],
    example: {},
    en: null,
    ko: ['시크릿을 찾을 수 없습니다.', '이미 삭제되었을 수 있습니다.'],
  },
  secrets_limit: {
    ...clientError(400),
    message: 'The account has reached its limit of secrets, in number or in bytes.',
    advice:
      'Delete a secret that is no longer needed, or store a shorter value. Large files can be part of an upload instead.',
    next: [suggest.secrets],
    example: {},
    en: 'Delete a secret that is no longer needed, or store a shorter value.',
    ko: ['저장할 수 있는 시크릿의 수나 크기를 초과했습니다.', '필요 없는 시크릿을 삭제하거나 값을 줄이세요.'],
  },
  secrets_unavailable: {
    status: 503,
    fault: 'platform',
    retryAfterS: 60,
    message: 'The service cannot use the key that encrypts secrets; nothing has been stored. Try again later.',
    advice: 'Send the same request again later. The operator sees the cause in `/healthz`.',
    next: ['repeat'],
    example: {},
    en: null,
    ko: ['시크릿을 암호화하는 키를 사용할 수 없어 저장하지 못했습니다.', koreanWait],
  },
  invalid_secret_name: {
    ...clientError(400),
    message:
      'A secret name may have uppercase letters, digits and underscores, and must not be a variable that a build sets itself.',
    advice:
      'Start with a capital letter or an underscore, then use capital letters, underscores and digits. Names of variables that a build sets itself (PATH, HOME, CI, CIDERMILL_…) cannot be used.',
    next: [suggest.secrets],
    example: {},
    en: 'Use capital letters, digits and underscores. Names of variables that a build sets itself cannot be used.',
    ko: [
      '시크릿 이름이 올바르지 않습니다.',
      '영문 대문자, 숫자, 밑줄만 사용하세요. 빌드가 쓰는 이름은 사용할 수 없습니다.',
    ],
  },
  invalid_secret_value: {
    ...clientError(400),
    message: 'Send value as text without NUL, or value_base64 as base64, neither empty nor longer than allowed.',
    advice:
      'Send `value` as text without NUL, or any other bytes in base64 as `value_base64`. A build gets such bytes as a file; the variable has its path.',
    next: ['page'],
    example: {},
    en: null,
    ko: ['시크릿 값이 올바르지 않습니다.', '값의 길이를 확인하세요.'],
  },
  webhook_not_found: {
    ...clientError(404),
    message: 'No such webhook.',
    advice: checkId,
    next: [suggest.webhooks],
    example: {},
    en: 'Go back to the webhooks.',
    ko: ['웹훅을 찾을 수 없습니다.', '이미 삭제되었을 수 있습니다.'],
  },
  webhooks_limit: {
    ...clientError(409),
    message: 'The account has reached its limit of webhooks.',
    advice: 'Remove a webhook that is no longer needed.',
    next: [suggest.webhooks],
    example: {},
    en: 'Delete a webhook that is no longer needed.',
    ko: ['만들 수 있는 웹훅 수를 초과했습니다.', '필요 없는 웹훅을 삭제하세요.'],
  },
  invalid_webhook: {
    ...clientError(400),
    message: 'The webhook request is not valid.',
    advice:
      'Send a public https address (port 443, or a port from 1024 on that is not reserved for another service) and event types of the reference. A test enables a disabled webhook.',
    next: ['page'],
    example: {},
    en: null,
    ko: ['웹훅 설정이 올바르지 않습니다.', '주소와 이벤트를 확인하세요.'],
  },
  delivery_not_found: {
    ...clientError(404),
    message: 'No such delivery.',
    advice: 'Take the id from `GET /webhooks/{id}/deliveries`; old deliveries are deleted.',
    next: [{ action: 'list_deliveries', path: '/webhooks/{webhook_id}/deliveries' }],
    example: {
      request: {
        method: 'POST',
        url: '/api/v1/webhooks/wh_01example/deliveries/dl_01example/redeliver',
        body: null,
        params: { webhook_id: 'wh_01example', delivery_id: 'dl_01example' },
      },
    },
    en: null,
    ko: ['전송 기록을 찾을 수 없습니다.', '보관 기간이 지나 삭제되었을 수 있습니다.'],
  },
} as const satisfies Record<string, ErrorRow>;
