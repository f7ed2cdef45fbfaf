import type { Words } from '../words/words.js';

export const words = {
  en: {
    rename: (mac: string) => `Rename ${mac}`,
    save: 'Save',
    copyId: 'Copy the id',
  },
  ko: {
    rename: (mac: string) => `${mac} 이름 변경`,
    save: '저장',
    copyId: 'ID 복사',
  },
} satisfies Words;
