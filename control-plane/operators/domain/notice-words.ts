// What mails and chat messages to operators say besides the messages of their notices.
import { countOf } from '../../../shared/count.js';
import type { Language } from '../../../shared/language.js';
import type { ProblemKind } from './problem.js';

interface NoticeWords {
  /** What to do. */
  readonly advice: Readonly<Record<ProblemKind, string>>;
  since(time: string): string;
  more(problems: number): string;
  /** Follows the first summary in the subject of a mail. */
  moreNotices(count: number): string;
}

export const noticeWords: Readonly<Record<Language, NoticeWords>> = {
  en: {
    advice: {
      'host.offline':
        'Builds on a disconnected host go on. They fail as host_lost once it has been disconnected for too long.',
      'host.unhealthy': '`cidermill admin host show HOST` lists the failed checks, and how to fix them.',
      'host.disk_low': 'These hosts take no builds until there is space again.',
      'host.credential_conflict':
        'If one of the agents is not yours, the credential was stolen: `cidermill admin host remove HOST`, then `cidermill host-agent enroll --replace` on the machine. If both are yours (a copied data folder), stop one. Then `cidermill admin host set HOST --conflict-is-over`.',
      'host.macs_failing':
        '`cidermill admin host show HOST` says why. Macs come back by themselves when the cause is gone.',
      'capacity.low': 'Add hosts, look for hosts that take no Macs (`cidermill admin host list`), or close the sales.',
      'payment.unsettled':
        'Settle it with the payment provider, then mark it: `cidermill admin payment settle ID --note TEXT`.',
    },
    since: (time) => `since ${time}`,
    more: (problems) => `and ${problems} more`,
    moreNotices: (count) => `, and ${countOf(count, 'more notice')}`,
  },
  ko: {
    advice: {
      'host.offline':
        '연결이 끊겨도 호스트의 빌드는 계속 실행됩니다. 너무 오래 연결되지 않으면 host_lost로 실패합니다.',
      'host.unhealthy': '실패한 점검과 해결 방법은 `cidermill admin host show HOST`로 확인하세요.',
      'host.disk_low': '공간이 확보될 때까지 이 호스트는 빌드를 받지 않습니다.',
      'host.credential_conflict':
        '모르는 에이전트가 있다면 인증 정보가 유출된 것입니다. `cidermill admin host remove HOST`로 호스트를 제거하고 그 기기에서 `cidermill host-agent enroll --replace`를 실행하세요. 둘 다 운영자의 에이전트라면(데이터 폴더 복사) 하나를 중지한 뒤 `cidermill admin host set HOST --conflict-is-over`를 실행하세요.',
      'host.macs_failing':
        '원인은 `cidermill admin host show HOST`로 확인하세요. 원인이 해소되면 Mac은 저절로 돌아옵니다.',
      'capacity.low':
        '호스트를 추가하거나, Mac을 받지 않는 호스트가 있는지 확인하거나(`cidermill admin host list`), 판매를 중단하세요.',
      'payment.unsettled':
        '결제 대행사와 정산한 뒤 `cidermill admin payment settle ID --note TEXT`로 완료 표시를 하세요.',
    },
    since: (time) => `${time}부터`,
    more: (problems) => `외 ${problems}건`,
    moreNotices: (count) => ` 외 알림 ${count}건`,
  },
};
