// Why a change of a Mac failed. The host's own words, if there are any, are the `message` of the job.
import { sentences } from './message.js';

export const jobFailures = sentences({
  provision_failed: { en: 'The Mac could not be created.', ko: 'Mac을 만들지 못했습니다.' },
  reset_failed: { en: 'The Mac could not be reset.', ko: 'Mac을 초기화하지 못했습니다.' },
  xcode_failed: { en: 'The Xcode version could not be selected.', ko: 'Xcode를 변경하지 못했습니다.' },
  setup_failed: {
    en: 'The setup of the Mac could not be changed.',
    ko: 'Mac의 구성을 변경하지 못했습니다.',
  },
  xcode_not_available: {
    en: 'The Mac does not have the Xcode version.',
    ko: 'Mac에 해당 Xcode 버전이 없습니다.',
  },
  rental_ended: {
    en: 'The rental of the Mac ended before the job was done.',
    ko: '작업이 끝나기 전에 Mac 대여가 종료되었습니다.',
  },
});
