// Descriptions of the enum values of a build, shared by the API and events.
import { type BuildStep, buildStep } from '../../../shared/build.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { buildStatuses, endReasons, waitReasons } from './build.js';

export const buildStatus = enumeration(buildStatuses, {
  id: 'BuildStatus',
  title: 'Status of a build',
  plain: true,
  meanings: {
    queued: 'waits for a Mac',
    running: 'it runs on a Mac, from fetching its source to storing its artifacts',
    succeeded: 'its script ended with exit code 0',
    failed: 'another exit code, a timeout or a platform failure; see `failure`',
    expired: 'it could not start',
    cancelled: 'it was canceled, or its Mac’s rental ended',
  },
});

export const endReasonMeanings = {
  succeeded: 'exit code 0',
  exit_nonzero: 'another exit code; 128 + n after signal n',
  timeout: 'it ran for `timeout_min` minutes',
  platform_error: 'the service or the host failed, not the build',
  cancelled_by_user: 'it was canceled by request',
  rental_ended: 'the rental of its Mac ended, and no other Mac could take it',
  queue_timeout: 'it waited too long for a Mac',
  pinned_mac_ended: 'the rental of the only Mac that it may run on ended',
  no_mac_left: 'the rental of the account’s last Mac ended',
} as const;

export const endReason = enumeration(endReasons, {
  id: 'EndReason',
  title: 'Why a build ended; values may be added',
  open: true,
  meanings: endReasonMeanings,
});

export const waitReasonMeanings = {
  mac_busy: 'every Mac that could run it is busy',
  mac_preparing: 'a Mac is being prepared',
  mac_in_maintenance: 'a Mac is being reset or set up',
  pinned_mac_busy: 'the Mac that it is pinned to is busy',
  xcode_unavailable: 'no Mac has its Xcode and labels',
  waiting_for_rental: 'there is no Mac, and it was submitted to wait for one',
  concurrency_limit: 'the account has reached its limit of running builds',
} as const;

export const waitReason = enumeration(waitReasons, {
  id: 'WaitReason',
  title: 'Why a queued build does not run yet; values may be added',
  open: true,
  meanings: waitReasonMeanings,
});

export const failureFaultMeanings = {
  customer: 'the code, the script or their dependencies',
  platform: 'the service; the same build may succeed',
  unknown: 'not known from the log',
} as const;

export const estimateBasis = enumeration(['history', 'timeout_budget'], {
  id: 'EstimateBasis',
  title: 'The basis of estimates',
  meanings: {
    history: 'how long earlier builds of the same project and script took; time limits for those without any',
    timeout_budget: 'the timeouts of the builds ahead: upper bounds, not expectations',
  },
});

export const failureFault = enumeration(['customer', 'platform', 'unknown'], {
  id: 'FailureFault',
  title: 'Who can fix a failed build; values may be added',
  open: true,
  meanings: failureFaultMeanings,
});

const steps = buildStep.options satisfies readonly BuildStep[];
export const failureStep = enumeration(steps, {
  id: 'BuildStep',
  title: 'The step in which a build failed; values may be added',
  open: true,
  plain: true,
  meanings: {
    prepare: 'preparing the work folder and the environment',
    source: 'fetching the source',
    xcode: 'selecting Xcode',
    script: 'the script itself',
    artifacts: 'storing the artifacts',
    platform: 'outside the build: its host, or the service',
  },
});
