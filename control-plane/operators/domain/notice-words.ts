// The texts of notices to operators.
import { countOf } from '../../../shared/count.js';
import type { Language } from '../../../shared/language.js';
import type { ProblemKind } from './problem.js';

interface KindWords {
  /** @param names of the hosts or tiers, at least one */
  begun(names: readonly string[]): string;
  /** Also true when the host has been removed, or the tier is no longer sold. */
  over(names: readonly string[]): string;
  /** What to do; for a mail. */
  readonly advice: string;
}

interface NoticeWords {
  readonly kinds: Readonly<Record<ProblemKind, KindWords>>;
  readonly test: string;
  since(time: string): string;
  more(problems: number): string;
  /** Follows the first summary in the subject of a mail. */
  moreNotices(count: number): string;
}

/** @example english('host', ['is offline', 'are offline'])(['mac-3']) // 'host mac-3 is offline' */
const english =
  (noun: string, [is, are]: readonly [one: string, many: string]) =>
  (names: readonly string[]) =>
    names.length === 1 ? `${noun} ${names[0]} ${is}` : `${countOf(names.length, noun)} ${are}`;

/** @example korean('호스트', '대', '의 연결이 끊겼습니다')(['mac-3']) // '호스트 mac-3의 연결이 끊겼습니다' */
const korean = (noun: string, counter: string, rest: string) => (names: readonly string[]) =>
  `${noun} ${names.length === 1 ? names[0] : `${names.length}${counter}`}${rest}`;

export const noticeWords: Readonly<Record<Language, NoticeWords>> = {
  en: {
    kinds: {
      'host.offline': {
        begun: english('host', ['is offline', 'are offline']),
        over: english('host', ['is no longer offline', 'are no longer offline']),
        advice:
          'Builds on a disconnected host go on. They fail as host_lost once it has been disconnected for too long.',
      },
      'host.unhealthy': {
        begun: english('host', ['is unhealthy', 'are unhealthy']),
        over: english('host', ['is no longer unhealthy', 'are no longer unhealthy']),
        advice: '`cidermill admin host show HOST` lists the failed checks, and how to fix them.',
      },
      'host.disk_low': {
        begun: english('host', ['is low on disk space', 'are low on disk space']),
        over: english('host', ['is no longer low on disk space', 'are no longer low on disk space']),
        advice: 'These hosts take no builds until there is space again.',
      },
      'host.credential_conflict': {
        begun: english('host', ['has a credential that two agents use', 'have credentials that two agents use']),
        over: english('host', [
          'no longer has a credential that two agents use',
          'no longer have credentials that two agents use',
        ]),
        advice:
          'If one of the agents is not yours, the credential was stolen: `cidermill admin host remove HOST`, then `cidermill host-agent enroll --replace` on the machine. If both are yours (a copied data folder), stop one. Then `cidermill admin host set HOST --conflict-is-over`.',
      },
      'host.macs_failing': {
        begun: english('host', ['cannot make its Macs', 'cannot make their Macs']),
        over: english('host', ['can make its Macs again', 'can make their Macs again']),
        advice: '`cidermill admin host show HOST` says why. Macs come back by themselves when the cause is gone.',
      },
      'capacity.low': {
        begun: english('tier', ['is nearly sold out', 'are nearly sold out']),
        over: english('tier', ['is no longer nearly sold out', 'are no longer nearly sold out']),
        advice: 'Add hosts, look for hosts that take no Macs (`cidermill admin host list`), or close the sales.',
      },
      'payment.unsettled': {
        begun: english('payment', ['needs an operator', 'need an operator']),
        over: english('payment', ['is settled', 'are settled']),
        advice: 'Settle it with the payment provider, then mark it: `cidermill admin payment settle ID --note TEXT`.',
      },
    },
    test: 'this is a test of operator notices',
    since: (time) => `since ${time}`,
    more: (problems) => `and ${problems} more`,
    moreNotices: (count) => `, and ${countOf(count, 'more notice')}`,
  },
  ko: {
    kinds: {
      'host.offline': {
        begun: korean('호스트', '대', '의 연결이 끊겼습니다'),
        over: korean('호스트', '대', '의 연결 끊김이 해소되었습니다'),
        advice: '연결이 끊겨도 호스트의 빌드는 계속 실행됩니다. 너무 오래 연결되지 않으면 host_lost로 실패합니다.',
      },
      'host.unhealthy': {
        begun: korean('호스트', '대', '의 점검이 실패했습니다'),
        over: korean('호스트', '대', '의 점검 실패가 해소되었습니다'),
        advice: '실패한 점검과 해결 방법은 `cidermill admin host show HOST`로 확인하세요.',
      },
      'host.disk_low': {
        begun: korean('호스트', '대', '의 디스크 공간이 부족합니다'),
        over: korean('호스트', '대', '의 디스크 공간 부족이 해소되었습니다'),
        advice: '공간이 확보될 때까지 이 호스트는 빌드를 받지 않습니다.',
      },
      'host.credential_conflict': {
        begun: korean('호스트', '대', '의 인증 정보를 두 에이전트가 사용하고 있습니다'),
        over: korean('호스트', '대', '의 인증 정보 중복 사용이 해소되었습니다'),
        advice:
          '모르는 에이전트가 있다면 인증 정보가 유출된 것입니다. `cidermill admin host remove HOST`로 호스트를 제거하고 그 기기에서 `cidermill host-agent enroll --replace`를 실행하세요. 둘 다 운영자의 에이전트라면(데이터 폴더 복사) 하나를 중지한 뒤 `cidermill admin host set HOST --conflict-is-over`를 실행하세요.',
      },
      'host.macs_failing': {
        begun: korean('호스트', '대', ': Mac을 만들지 못하고 있습니다'),
        over: korean('호스트', '대', ': Mac을 다시 만들 수 있습니다'),
        advice: '원인은 `cidermill admin host show HOST`로 확인하세요. 원인이 해소되면 Mac은 저절로 돌아옵니다.',
      },
      'capacity.low': {
        begun: korean('등급', '개', '의 판매 가능한 슬롯이 거의 없습니다'),
        over: korean('등급', '개', '의 슬롯 부족이 해소되었습니다'),
        advice:
          '호스트를 추가하거나, Mac을 받지 않는 호스트가 있는지 확인하거나(`cidermill admin host list`), 판매를 중단하세요.',
      },
      'payment.unsettled': {
        begun: korean('결제', '건', ': 운영자의 처리가 필요합니다'),
        over: korean('결제', '건', ': 정산이 완료되었습니다'),
        advice: '결제 대행사와 정산한 뒤 `cidermill admin payment settle ID --note TEXT`로 완료 표시를 하세요.',
      },
    },
    test: '운영자 알림 테스트입니다',
    since: (time) => `${time}부터`,
    more: (problems) => `외 ${problems}건`,
    moreNotices: (count) => ` 외 알림 ${count}건`,
  },
};
