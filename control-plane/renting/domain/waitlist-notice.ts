import type { NoticeWords } from '../../access/domain/notice.js';

interface OfferedTier {
  readonly tier: string;
  readonly name: string;
  readonly priceWon: number;
}

/** The notice that Macs of a tier can be ordered again. */
export function macsAvailable({ tier, name, priceWon }: OfferedTier, units: number): NoticeWords {
  const macs = units === 1 ? 'A Mac' : `${units} Macs`;
  const won = priceWon.toLocaleString('en-US');
  return {
    en: {
      subject: `${macs} of the tier ${name} can be ordered again`,
      text:
        `${macs} of the tier ${name} (${tier}) can be ordered now, at ${won} won for 24 hours ` +
        'each. Nothing is reserved: they go to the first order.',
    },
    ko: {
      subject: `${name} 등급의 Mac ${units}대를 다시 주문할 수 있습니다`,
      text:
        `${name}(${tier}) 등급의 Mac ${units}대를 지금 대당 24시간에 ${won}원으로 주문할 수 있습니다. ` +
        '예약된 것은 아니며, 먼저 주문한 조직에 배정됩니다.',
    },
  };
}
