import type { Words } from '../../words/words.js';

export const words = {
  en: {
    title: (amount: string) => `Top up ${amount}`,
    ofOrganization: (name: string, number: string) => `${name}, top-up ${number}`,
    pay: 'Pay',
    approve: 'Approve',
    lead: {
      approval: 'No money moves. You approve the top-up for your organization, and its credit is added.',
      sandbox: 'This service has a sandbox in place of a payment provider. No money moves.',
      portone: 'The payment provider opens in its own window. Your card details never reach this service.',
    },
    held: (time: string) => `This rate is fixed for another ${time}.`,
    done: 'Credit added',
    whatNow: 'What happens now',
    outcome: {
      confirming:
        'The payment is not confirmed by the payment provider yet. This page updates by itself; you can also close it.',
      paid: 'The credit is available at once.',
      failed:
        'The amount charged differs from the price. It is refunded in full. Make a new top-up in the billing of the organization.',
      expired:
        'The top-up was not paid in time. Make a new one in the billing of the organization, at the rate of the day.',
      cancelled: 'The top-up was canceled or refunded in full.',
    },
    withdrawable: (time: string) => `Unspent credit of this top-up can be withdrawn until ${time}.`,
    toBilling: 'Go to billing',
    changed: (status: string) => `The top-up is now: ${status}.`,
    missingTitle: 'Top-up not found',
    missing: (number: string, email: string) =>
      `${email} is not an owner or admin of an organization with the top-up ${number}.`,
    home: 'Go to the overview',
    failedTitle: 'The request failed',
    signedInAs: (email: string) => `You are signed in as ${email}.`,
  },
  ko: {
    title: (amount: string) => `${amount} 충전`,
    ofOrganization: (name: string, number: string) => `${name} · 충전 ${number}`,
    pay: '결제',
    approve: '승인',
    lead: {
      approval: '실제로 결제되는 금액은 없습니다. 조직을 대표해 충전을 승인하면 크레딧이 추가됩니다.',
      sandbox: '이 서비스는 결제 대행사 대신 샌드박스를 사용합니다. 실제로 결제되는 금액은 없습니다.',
      portone: '결제 대행사의 창이 따로 열립니다. 카드 정보는 이 서비스로 전달되지 않습니다.',
    },
    held: (time: string) => `이 환율은 ${time} 동안 유지됩니다.`,
    done: '크레딧이 충전되었습니다',
    whatNow: '진행 상황',
    outcome: {
      confirming: '결제 결과를 확인하고 있습니다. 이 페이지에 결과가 표시되며, 페이지를 닫아도 됩니다.',
      paid: '크레딧을 바로 사용할 수 있습니다.',
      failed: '결제 금액과 다른 금액이 청구되어 전액 환불됩니다. 조직의 결제 페이지에서 다시 충전하세요.',
      expired: '기한 내에 결제되지 않았습니다. 조직의 결제 페이지에서 그날의 환율로 다시 충전하세요.',
      cancelled: '충전이 취소되었거나 전액 환불되었습니다.',
    },
    withdrawable: (time: string) => `${time}까지 사용하지 않은 크레딧의 충전을 취소할 수 있습니다.`,
    toBilling: '결제 페이지로 이동',
    changed: (status: string) => `충전 상태가 변경되었습니다: ${status}.`,
    missingTitle: '충전 내역을 찾을 수 없습니다',
    missing: (number: string, email: string) =>
      `${email} 계정이 소유자나 관리자로 있는 조직에 ${number} 충전이 없습니다.`,
    home: '개요로 이동',
    failedTitle: '요청을 처리하지 못했습니다',
    signedInAs: (email: string) => `${email} 계정으로 로그인되어 있습니다.`,
  },
} satisfies Words;
