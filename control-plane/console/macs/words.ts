import type { Words } from '../words/words.js';

export const words = {
  en: {
    rename: (mac: string) => `Rename ${mac}`,
    save: 'Save',
    copyId: 'Copy the id',
    problem: {
      empty: 'Give a name.',
      too_long: (most: number) => `At most ${most} characters.`,
      characters: 'One line, without control characters.',
      like_an_id: 'A name cannot begin like an id: rt_, rb_, op_ or RT-.',
      taken: 'Another Mac or an unpaid order has this name.',
      twice: 'Another of these Macs has this name.',
      missing: 'Name every Mac, or none.',
    },
  },
  ko: {
    rename: (mac: string) => `${mac} 이름 변경`,
    save: '저장',
    copyId: 'ID 복사',
    problem: {
      empty: '이름을 입력하세요.',
      too_long: (most: number) => `${most}자까지 입력할 수 있습니다.`,
      characters: '줄바꿈과 제어 문자는 사용할 수 없습니다.',
      like_an_id: 'rt_, rb_, op_, RT-처럼 ID로 보이는 이름은 사용할 수 없습니다.',
      taken: '다른 Mac이나 결제하지 않은 주문에서 사용 중인 이름입니다.',
      twice: '같은 이름을 두 번 입력했습니다.',
      missing: '모든 Mac의 이름을 입력하거나 모두 비워 두세요.',
    },
  },
} satisfies Words;
