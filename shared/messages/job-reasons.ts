// Why the service ended a change of a Mac as failed. What a host says about it has no code.
import { sentences } from './message.js';

export const jobReasons = sentences({
  host_removed: { en: 'The host of the Mac has been removed.', ko: 'Mac의 호스트가 제거되었습니다.' },
  host_timeout: {
    en: 'The host of the Mac did not complete the change in time.',
    ko: 'Mac의 호스트가 제시간에 변경을 마치지 못했습니다.',
  },
  rental_ended: {
    en: 'The rental of the Mac ended before the job was done.',
    ko: '작업이 끝나기 전에 Mac 대여가 종료되었습니다.',
  },
});
