import type { TopUp } from '../../../../client/types.js';
import type { Tone } from '../../design/badge.js';

export const topUpTones: Readonly<Record<TopUp['status'], Tone>> = {
  pending: 'warn',
  confirming: 'info',
  paid: 'good',
  failed: 'bad',
  expired: 'neutral',
  cancelled: 'neutral',
};
