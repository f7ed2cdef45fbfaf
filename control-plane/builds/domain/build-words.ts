// Descriptions of the enum values of a build, shared by the API and events.
import { type BuildStep, buildStep } from '../../../shared/build.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { buildStatuses, endReasons, waitReasons } from './build.js';

export const buildStatus = enumeration(buildStatuses, {
  id: 'BuildStatus',
  about: 'How far a build has come.',
  meanings: {
    queued: 'waits for a Mac',
    running: 'a Mac has it, from fetching its source to storing its artifacts',
    succeeded: 'its script ended with exit code 0',
    failed: 'another exit code, its time was up, or the platform failed; `failure` says which',
    expired: 'it could not start',
    cancelled: 'somebody cancelled it, or its Mac’s rental ended',
  },
});

export const endReasonMeanings = {
  succeeded: 'exit code 0',
  exit_nonzero: 'another exit code; 128 + n after signal n',
  timeout: 'it ran for `timeout_min` minutes',
  platform_error: 'the service or the host failed, not the build',
  cancelled_by_user: 'it was cancelled by request',
  rental_ended: 'the rental of its Mac ended, and no other Mac could take it',
  queue_timeout: 'it waited for 24 hours',
  pinned_mac_ended: 'the rental of the only Mac that it may run on ended',
  no_mac_left: 'the account’s last Mac ended',
} as const;

export const endReason = enumeration(endReasons, {
  id: 'EndReason',
  about: 'Why a build ended. More may come.',
  open: true,
  meanings: endReasonMeanings,
});

export const waitReasonMeanings = {
  mac_busy: 'every Mac that could run it has a build',
  mac_preparing: 'a Mac is being made ready',
  mac_in_maintenance: 'a Mac is being reset or set up',
  pinned_mac_busy: 'the Mac that it is pinned to has a build',
  xcode_unavailable: 'no Mac has its Xcode selected',
  waiting_for_rental: 'there is no Mac, and it was submitted to wait for one',
  concurrency_limit: 'the account runs as many builds as it may',
} as const;

export const waitReason = enumeration(waitReasons, {
  id: 'WaitReason',
  about: 'Why a queued build does not run yet. More may come.',
  open: true,
  meanings: waitReasonMeanings,
});

export const failureFaultMeanings = {
  customer: 'the code, the script or what they need',
  platform: 'the service; the same build may succeed',
  unknown: 'the log does not tell',
} as const;

export const estimateBasis = enumeration(['history', 'timeout_budget'], {
  id: 'EstimateBasis',
  about: 'What estimates are made of.',
  meanings: {
    history: 'how long earlier builds of the same project and script took; time limits for those without any',
    timeout_budget: 'the time limits of the builds before: upper bounds, not expectations',
  },
});

export const failureFault = enumeration(['customer', 'platform', 'unknown'], {
  id: 'FailureFault',
  about: 'Who can mend a failed build. More may come.',
  open: true,
  meanings: failureFaultMeanings,
});

const steps = buildStep.options satisfies readonly BuildStep[];
export const failureStep = enumeration(steps, {
  id: 'BuildStep',
  about: 'Where in its course a build failed. More may come.',
  open: true,
  meanings: {
    prepare: 'making the work folder and the environment ready',
    source: 'fetching the source',
    xcode: 'selecting Xcode',
    script: 'the script itself',
    artifacts: 'storing the artifacts',
    platform: 'outside the build: its host, or the service',
  },
});
