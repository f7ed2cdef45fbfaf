import type { Words } from '../../words/words.js';

export const words = {
  en: { title: 'Overview' },
  ko: { title: '개요' },
} satisfies Words;
