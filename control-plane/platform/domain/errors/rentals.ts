// Errors about rented Macs and their extension.
import { LONGEST_MAC_NAME } from '../../../../shared/mac-name.js';
import { checkId } from './phrases.js';
import { clientError, type ErrorRow } from './row.js';
import { suggest } from './suggestions.js';

export const rentalsErrors = {
  rental_not_found: {
    ...clientError(404),
    message: 'No such Mac in this account.',
    advice: checkId,
    next: [suggest.status],
    example: {},
    en: 'Go back to the Macs.',
    ko: ['Mac을 찾을 수 없습니다.', 'Mac 목록에서 다시 확인하세요.'],
  },
  rental_not_active: {
    ...clientError(409),
    message: 'The Mac is reserved or its rental has ended.',
    advice: 'Choose a Mac of `GET /rentals` that is not reserved.',
    next: [suggest.status],
    example: {},
    en: 'Wait until it is ready.',
    ko: ['지금 사용할 수 없는 Mac입니다.', '사용할 수 있게 된 뒤 다시 시도하세요.'],
  },
  invalid_name: {
    ...clientError(400),
    message: 'The name of a Mac is not valid.',
    advice: `Send a name of 1 to ${LONGEST_MAC_NAME} characters in one line that does not begin like an id (\`rt_\`, \`rb_\`, \`op_\`, \`RT-\`); \`message\` says what is wrong.`,
    next: ['page'],
    example: { detail: { field: 'name' } },
    en: null,
    ko: [
      'Mac 이름이 올바르지 않습니다.',
      `줄바꿈 없이 1~${LONGEST_MAC_NAME}자로 입력하세요. rt_, rb_, op_, RT-로 시작할 수 없습니다.`,
    ],
  },
  name_taken: {
    ...clientError(409),
    message: 'Another Mac or an unpaid order of this account has this name.',
    advice:
      'Choose another name. A name is free again when the rental of its Mac has ended, or when the order that holds it ends unpaid.',
    next: [suggest.status],
    example: { detail: { field: 'name', name: 'Release' } },
    en: 'Choose another name.',
    ko: ['이미 사용 중인 Mac 이름입니다.', '다른 이름을 입력하세요.'],
  },
  no_active_rental: {
    ...clientError(409),
    message: 'The account has no Mac to build on.',
    advice: 'Rent a Mac (`POST /orders`), or send the build with `"queue_until_rental": true`.',
    next: [suggest.catalog],
    example: {},
    en: 'Rent a Mac.',
    ko: ['빌드할 Mac이 없습니다.', 'Mac을 대여하세요.'],
  },
  invalid_rentals: {
    ...clientError(400),
    message: 'rental_ids is not valid.',
    advice: 'Send `rental_ids` of Macs that `GET /rentals` lists, each once.',
    next: [suggest.status],
    example: {},
    en: null,
    ko: ['Mac 목록이 올바르지 않습니다.', '사용 중인 Mac을 한 번씩만 선택하세요.'],
  },
  extension_deadline: {
    ...clientError(409),
    message: 'The Mac ends too soon to be extended.',
    advice: 'Order a new Mac: this one ends too soon to be extended.',
    next: [suggest.catalog],
    example: {},
    en: 'Rent a new Mac.',
    ko: ['종료 시각이 가까워 연장할 수 없습니다.', '새 Mac을 대여하세요.'],
  },
  extension_pending: {
    status: 409,
    fault: 'client',
    retryAfterS: 60,
    message: 'An extension payment for this Mac is in progress.',
    advice: 'Have the open extension order paid, or wait until it expires.',
    next: [],
    example: {
      next: [{ action: 'wait_for_order', method: 'GET', path: '/api/v1/orders/RT-01EXAMPLE/wait' }],
    },
    en: 'Pay the open extension, or wait until it expires.',
    ko: ['결제를 기다리는 연장 주문이 있습니다.', '해당 주문을 결제하거나 만료될 때까지 기다리세요.'],
  },
  extension_unavailable: {
    ...clientError(409),
    message: 'A Mac of the request cannot be extended; see items.',
    advice: 'Leave out the Macs whose `items` say why they cannot be extended.',
    next: [suggest.status],
    example: {
      detail: { items: [{ rental_id: 'rt_01example', ok: false, reason: 'extension_deadline' }] },
      next: [
        {
          action: 'extend_the_others',
          method: 'POST',
          path: '/api/v1/rentals/extend',
          body: { rental_ids: ['rt_02example'], hours: 24 },
        },
      ],
    },
    en: 'Leave out the Macs that cannot be extended.',
    ko: ['연장할 수 없는 Mac이 포함되어 있습니다.', '연장할 수 없는 Mac을 제외하세요.'],
  },
  rental_duration_limit: {
    ...clientError(422),
    message: 'A Mac cannot be rented for that long.',
    advice: 'Extend by fewer days, or order a new Mac.',
    next: [suggest.status],
    example: {},
    en: 'Extend by fewer days, or rent a new Mac.',
    ko: ['같은 Mac을 대여할 수 있는 최대 기간을 초과합니다.', '연장 일수를 줄이거나 새 Mac을 대여하세요.'],
  },
  reservation_conflict: {
    status: 409,
    fault: 'capacity',
    retryAfterS: null,
    message: 'The period overlaps the next reservation.',
    advice: 'Choose a shorter time: another order has reserved the Mac for the time after that.',
    next: [suggest.status],
    example: {},
    en: 'Choose a shorter time.',
    ko: ['다음 예약과 기간이 겹칩니다.', '더 짧은 기간을 선택하세요.'],
  },
} as const satisfies Record<string, ErrorRow>;
