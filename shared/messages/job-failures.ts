// What failed in a change of a Mac. Why, is the `reason` of the job.
import { jobReasons } from './job-reasons.js';
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
  rental_ended: jobReasons.rental_ended,
});
