// Errors about changes of a Mac: resets, Xcode, setup.
import { checkId, koreanWait } from './phrases.js';
import { clientError, type ErrorRow, type FailedRequest } from './row.js';
import { suggest } from './suggestions.js';

const reset: FailedRequest = {
  method: 'POST',
  url: '/api/v1/rentals/rt_01example/reset',
  body: {},
  params: { rental_id: 'rt_01example' },
};

export const maintenanceErrors = {
  rental_busy: {
    status: 409,
    fault: 'client',
    retryAfterS: 60,
    message: 'A build is running; repeat with when: after_build or now.',
    advice: 'Repeat the request with `"when": "after_build"` to wait for the build, or `"now"` to cancel it.',
    next: [suggest.waitForBuild],
    example: {
      request: reset,
    },
    en: 'Do it after the build has ended, or cancel the build.',
    ko: ['Mac에서 빌드가 실행 중입니다.', '빌드가 끝난 뒤 실행하도록 하거나 빌드를 중지하세요.'],
  },
  reset_limit: {
    status: 429,
    fault: 'client',
    retryAfterS: 600,
    message: 'A new VM of this Mac cannot be requested yet; keep_cache: true is an alternative.',
    advice: 'Send `"keep_cache": true`, which only empties the work folder, or wait `retry_after_s` seconds.',
    next: [{ action: 'keep_the_caches', change: { keep_cache: true } }],
    example: {
      request: reset,
      retryAfterS: 431,
    },
    en: 'Wait, or reset with the caches kept.',
    ko: ['지금은 이 Mac에 새 가상 머신을 만들 수 없습니다.', '잠시 기다리거나 캐시를 유지한 채 초기화하세요.'],
  },
  reset_failed: {
    status: 409,
    fault: 'platform',
    retryAfterS: 30,
    message: 'The Mac could not be reset; the failure has been reported.',
    advice: 'Try again in a minute; if it fails again, send the `request_id` to the operator of the service.',
    next: [],
    example: {},
    en: null,
    ko: ['Mac을 초기화하지 못했습니다. 운영자에게 보고되었습니다.', koreanWait],
  },
  job_in_progress: {
    status: 409,
    fault: 'client',
    retryAfterS: 30,
    message: 'A reset, Xcode or setup job of this Mac is queued or running.',
    advice: 'Wait until the job that `job_id` names has ended (`GET /jobs/{job_id}`), then repeat the request.',
    next: [{ action: 'show_job', path: '/jobs/{job_id}' }],
    example: { detail: { job_id: 'op_01example' } },
    en: 'Wait until the job has ended.',
    ko: ['이 Mac에서 초기화 또는 설정 작업이 진행 중입니다.', '작업이 끝난 뒤 다시 시도하세요.'],
  },
  job_not_found: {
    ...clientError(404),
    message: 'No such job in this account.',
    advice: checkId,
    next: [suggest.status],
    example: {},
    en: null,
    ko: ['작업을 찾을 수 없습니다.', '작업 목록에서 다시 확인하세요.'],
  },
  invalid_setup: {
    ...clientError(400),
    message: 'The Xcode, runtimes or tools are not in the catalog, or are already set.',
    advice: 'Choose one of `options` for the field that `field` names.',
    next: [suggest.catalog],
    example: { detail: { field: 'runtimes', options: ['iOS 18.2', 'iOS 17.5'] } },
    en: null,
    ko: ['선택한 Xcode, 런타임 또는 도구를 사용할 수 없습니다.', '다른 버전을 선택하세요.'],
  },
  xcode_not_available: {
    ...clientError(400),
    message: 'The Xcode version cannot be selected on this tier.',
    advice: 'Choose one of the versions in `options`.',
    next: [suggest.catalog],
    example: { detail: { options: ['16.2', '16.0'] } },
    en: 'Choose another version.',
    ko: ['이 등급에서 사용할 수 없는 Xcode 버전입니다.', '다른 버전을 선택하세요.'],
  },
  invalid_target: {
    ...clientError(400),
    message: 'Send exactly one of all:true and ids.',
    advice: 'Send either `"all": true` or `"ids": [...]`.',
    next: [suggest.status],
    example: {},
    en: null,
    ko: ['작업할 Mac을 지정하는 방법이 올바르지 않습니다.', '모든 Mac 또는 Mac 목록 중 하나만 지정하세요.'],
  },
  invalid_when: {
    ...clientError(400),
    message: 'when must be after_build or now.',
    advice: 'Send `after_build` or `now`, or leave it out while no build runs.',
    next: [suggest.waitForBuild],
    example: {
      request: { ...reset, body: { keep_cache: true } },
    },
    en: null,
    ko: ['실행 시점이 올바르지 않습니다.', '지금 또는 빌드가 끝난 뒤 중에서 선택하세요.'],
  },
} as const satisfies Record<string, ErrorRow>;
