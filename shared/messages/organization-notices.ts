// Notices to the people of an organization: each code has its subject, and as `…_text` its text, made of the same values.
import { sentence, sentences } from './message.js';
import { roleNames } from './role-names.js';

const amount = new Intl.NumberFormat('en');

const roles = ['owner', 'admin', 'developer'] as const;
const change = { email: 'text', from: roles, to: roles } as const;
const roleChanged = sentence(change, {
  en: ({ email, from, to }) => `${email} is now ${roleNames.en[to]} (was ${roleNames.en[from]})`,
  // All names of roles end in a vowel.
  ko: ({ email, from, to }) => `${email} 님의 역할이 ${roleNames.ko[from]}에서 ${roleNames.ko[to]}로 변경되었습니다`,
});
const joined = { email: 'text', role: roles } as const;
const memberJoined = sentence(joined, {
  en: ({ email, role }) => `${email} has joined as ${roleNames.en[role]}`,
  ko: ({ email, role }) => `${email} 님이 ${roleNames.ko[role]}로 참여했습니다`,
});
const memberRemoved = {
  en: '{email} has been removed from the organization',
  ko: '{email} 님이 조직에서 제거되었습니다',
} as const;

const keyLeaked = {
  en: 'The API key "{name}" ({prefix}...) was found in public and has been revoked',
  ko: 'API 키 "{name}" ({prefix}...) 유출 발견, 폐기 완료',
} as const;

const macs = (units: number) => (units === 1 ? 'A Mac' : `${amount.format(units)} Macs`);

/** What was paid, by its number. */
const paid = { kind: ['order', 'top_up'], order_no: 'text' } as const;
const kinds = { en: { order: 'order', top_up: 'top-up' }, ko: { order: '주문', top_up: '충전' } } as const;
const whyReturned = {
  paid_too_late: {
    en: 'arrived when it could no longer be accepted',
    ko: '승인할 수 있는 기간이 지난 뒤에 이루어졌습니다',
  },
  paid_without_consent: { en: 'was made without consent', ko: '동의 없이 이루어졌습니다' },
  payment_mismatch: { en: 'does not match its price', ko: '청구 금액과 일치하지 않습니다' },
} as const;
const whysReturned = ['paid_too_late', 'paid_without_consent', 'payment_mismatch'] as const;

/** Lists of orders with amounts, of orders, and of Macs. An empty one is left out. */
const refunds = sentence(
  { to_payment_method: 'text', as_credit: 'text', canceled: 'text', macs: 'text' },
  {
    en: ({ to_payment_method, as_credit, canceled, macs }) =>
      [
        ...listed('Refunded to the original payment method', to_payment_method, '.'),
        ...listed('Refunded as credit', as_credit, '.'),
        ...listed('Canceled unpaid orders', canceled, '.'),
        ...listed('The rentals of these Macs end now', macs, '.'),
      ].join('\n'),
    ko: ({ to_payment_method, as_credit, canceled, macs }) =>
      [
        ...listed('원래 결제 수단으로 환불합니다', to_payment_method),
        ...listed('크레딧으로 환불했습니다', as_credit),
        ...listed('결제하지 않은 주문을 취소했습니다', canceled),
        ...listed('다음 Mac의 대여가 지금 종료됩니다', macs),
      ].join('\n'),
  },
);
function listed(title: string, list: string, end = ''): string[] {
  return list === '' ? [] : [`${title}: ${list}${end}`];
}

export const organizationNotices = sentences({
  // Members. `by`: the address of the person who made the change.
  role_changed: roleChanged,
  role_changed_text: sentence(
    { ...change, by: 'text' },
    {
      en: (params) => `${roleChanged.said.en(params)}.\n\nChanged by: ${params.by}.`,
      ko: (params) => `${roleChanged.said.ko(params)}.\n\n변경한 사람: ${params.by}`,
    },
  ),
  role_changed_by_operator: roleChanged,
  role_changed_by_operator_text: sentence(change, {
    en: (params) => `${roleChanged.said.en(params)}.\n\nChanged by: an operator.`,
    ko: (params) => `${roleChanged.said.ko(params)}.\n\n변경한 사람: 운영자`,
  }),
  member_joined: memberJoined,
  member_joined_text: sentence(joined, {
    en: (params) => `${memberJoined.said.en(params)}.`,
    ko: (params) => `${memberJoined.said.ko(params)}.`,
  }),
  member_left: { en: '{email} has left the organization', ko: '{email} 님이 조직을 나갔습니다' },
  member_left_text: { en: '{email} has left the organization.', ko: '{email} 님이 조직을 나갔습니다.' },
  member_removed: memberRemoved,
  member_removed_text: {
    en: '{email} has been removed from the organization.\n\nChanged by: {by}.',
    ko: '{email} 님이 조직에서 제거되었습니다.\n\n변경한 사람: {by}',
  },
  member_removed_by_operator: memberRemoved,
  member_removed_by_operator_text: {
    en: '{email} has been removed from the organization.\n\nChanged by: an operator.',
    ko: '{email} 님이 조직에서 제거되었습니다.\n\n변경한 사람: 운영자',
  },

  // Keys. `url`: where the report found it.
  key_leaked: keyLeaked,
  key_leaked_text: {
    en: 'The API key "{name}" ({prefix}...) was found in public and has been revoked. Requests with it are refused.\n\nIt was found here: {url}\n\nCreate a new key, and check whether the old one was used for anything that you did not do.',
    ko: '공개된 곳에서 API 키 "{name}" ({prefix}...)의 유출이 발견되어 폐기했습니다. 이 키를 사용한 요청은 거부됩니다.\n\n발견된 위치: {url}\n\n새 키를 만들고, 이전 키로 직접 하지 않은 작업이 있었는지 확인하세요.',
  },
  key_leaked_somewhere: keyLeaked,
  key_leaked_somewhere_text: {
    en: 'The API key "{name}" ({prefix}...) was found in public and has been revoked. Requests with it are refused.\n\nThe report does not say where.\n\nCreate a new key, and check whether the old one was used for anything that you did not do.',
    ko: '공개된 곳에서 API 키 "{name}" ({prefix}...)의 유출이 발견되어 폐기했습니다. 이 키를 사용한 요청은 거부됩니다.\n\n신고에는 발견된 위치가 없습니다.\n\n새 키를 만들고, 이전 키로 직접 하지 않은 작업이 있었는지 확인하세요.',
  },

  // Macs. `won`: the price of one for 24 hours.
  macs_available: sentence(
    { units: 'number', name: 'text' },
    {
      en: ({ units, name }) => `${macs(units)} of the tier ${name} can be ordered again`,
      ko: ({ units, name }) => `${name} 등급의 Mac ${amount.format(units)}대를 다시 주문할 수 있습니다`,
    },
  ),
  macs_available_text: sentence(
    { units: 'number', name: 'text', tier: 'text', won: 'number' },
    {
      en: ({ units, name, tier, won }) =>
        `${macs(units)} of the tier ${name} (${tier}) can be ordered now, at ${amount.format(won)} won for 24 hours each. Nothing is reserved: they go to the first order.`,
      ko: ({ units, name, tier, won }) =>
        `${name}(${tier}) 등급의 Mac ${amount.format(units)}대를 지금 대당 24시간에 ${amount.format(won)}원으로 주문할 수 있습니다. 예약된 것은 아니며, 먼저 주문한 조직에 배정됩니다.`,
    },
  ),

  // Refunds of orders.
  order_refunded: sentence(
    { order_no: 'text', won: 'number' },
    {
      en: ({ order_no, won }) => `${amount.format(won)} won of order ${order_no} are refunded`,
      ko: ({ order_no, won }) => `주문 ${order_no} 건의 ${amount.format(won)}원을 환불합니다`,
    },
  ),
  order_refunded_text: refunds,
  order_canceled: {
    en: 'Order {order_no} is canceled, because no Mac could be provided',
    ko: 'Mac을 제공할 수 없어 주문 {order_no} 건이 취소되었습니다',
  },
  order_canceled_text: refunds,

  // Payments.
  payments_blocked: { en: 'Payments of your organization are blocked', ko: '조직의 결제가 차단되었습니다' },
  payments_blocked_text: sentence(paid, {
    en: ({ kind, order_no }) =>
      `The payment of ${kinds.en[kind]} ${order_no} is disputed. Until this is settled, nothing can be paid.`,
    ko: ({ kind, order_no }) =>
      `${kinds.ko[kind]} ${order_no} 건의 결제에 이의가 제기되었습니다. 해결될 때까지 결제할 수 없습니다.`,
  }),
  payment_returned: sentence(paid, {
    en: ({ kind, order_no }) => `The payment of ${kinds.en[kind]} ${order_no} is refunded`,
    ko: ({ kind, order_no }) => `${kinds.ko[kind]} ${order_no} 건의 결제를 환불합니다`,
  }),
  payment_returned_text: sentence(
    { ...paid, reason: whysReturned },
    {
      en: ({ kind, order_no, reason }) =>
        `The payment of ${kinds.en[kind]} ${order_no} ${whyReturned[reason].en}. It is refunded in full.`,
      ko: ({ kind, order_no, reason }) =>
        `${kinds.ko[kind]} ${order_no} 건의 결제가 ${whyReturned[reason].ko}. 전액 환불합니다.`,
    },
  ),
  withdrawal_failed: {
    en: 'The withdrawal from top-up {order_no} failed',
    ko: '충전 {order_no} 건의 취소에 실패했습니다',
  },
  withdrawal_failed_text: sentence(
    { order_no: 'text', won: 'number' },
    {
      en: ({ order_no, won }) =>
        `The payment provider did not pay back ${amount.format(won)} won of top-up ${order_no}. The credit that was reserved for it is available again.`,
      ko: ({ order_no, won }) =>
        `결제 대행사가 충전 ${order_no} 건의 ${amount.format(won)}원을 환불하지 않았습니다. 환불을 위해 예약된 크레딧은 다시 사용할 수 있습니다.`,
    },
  ),
  whole_withdrawal_failed: {
    en: 'The withdrawal from top-up {order_no} failed',
    ko: '충전 {order_no} 건의 취소에 실패했습니다',
  },
  whole_withdrawal_failed_text: {
    en: 'The payment provider did not pay back top-up {order_no}. The credit that was reserved for it is available again.',
    ko: '결제 대행사가 충전 {order_no} 건의 결제 금액을 환불하지 않았습니다. 환불을 위해 예약된 크레딧은 다시 사용할 수 있습니다.',
  },
});
