import type { WebhookEventType } from '../../../client/types.js';
import { useWords } from './use-words.js';

type EventNames = Record<WebhookEventType, string>;

/** What happened, in words; in the order of the list from which the events of a webhook are selected. */
const names = {
  en: {
    'build.succeeded': 'Build succeeded',
    'build.failed': 'Build failed',
    'build.cancelled': 'Build canceled',
    'build.expired': 'Build expired in the queue',
    'build.stalled': 'Build waits or prints nothing for a long time',
    'build.queued': 'Build accepted',
    'build.started': 'Build started',
    'build.completed': 'Build ended, with any result',
    'rental.started': 'Mac ready for the first time',
    'rental.unavailable': 'Lost Mac cannot be recreated now',
    'rental.available': 'Mac ready again',
    'rental.ends_soon': 'Rental ends soon',
    'rental.ended': 'Rental ended',
    'rental.extended': 'Rental extended',
    'order.paid': 'Order paid',
    'order.expired': 'Order not paid in time',
    'order.refunded': 'Order refunded',
    'waitlist.available': 'Macs on the waitlist can be ordered',
  } satisfies EventNames,
  ko: {
    'build.succeeded': '빌드 성공',
    'build.failed': '빌드 실패',
    'build.cancelled': '빌드 취소',
    'build.expired': '대기 중 빌드 만료',
    'build.stalled': '오래 대기하거나 출력이 없는 빌드',
    'build.queued': '빌드 접수',
    'build.started': '빌드 시작',
    'build.completed': '빌드 종료(결과와 무관)',
    'rental.started': '대여한 Mac이 처음 준비됨',
    'rental.unavailable': 'Mac이 유실되었고 지금은 다시 만들 수 없음',
    'rental.available': '사용할 수 없던 Mac이 다시 준비됨',
    'rental.ends_soon': '곧 끝나는 대여',
    'rental.ended': '대여 종료',
    'rental.extended': '대여 연장',
    'order.paid': '주문 결제 완료',
    'order.expired': '결제 기한이 지난 주문',
    'order.refunded': '주문 환불',
    'waitlist.available': '대기 신청한 Mac 주문 가능',
  } satisfies EventNames,
};

/** All events that a webhook can receive. */
export const eventTypes = Object.keys(names.en) as readonly WebhookEventType[];

/** Returns the name of an event; its code for one that this page does not know. */
export function useEventName(): (type: string) => string {
  const own = useWords(names);
  return (type) => (Object.hasOwn(own, type) ? own[type as WebhookEventType] : type);
}
