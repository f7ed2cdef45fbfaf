// Texts that the API gives in English only, and the console says in Korean, too: warnings of builds, failed upgrades, images.
import t from 'tap';
import { buildWarning } from '../../control-plane/console/builds/build-warning.js';
import { upgradeError } from '../../control-plane/console/pages/operator/parts/upgrade-error.js';
import { imageError } from '../../control-plane/console/pages/operator/tiers/image-error.js';
import { whyLeftOut } from '../../control-plane/hosts/domain/rollout.js';
import { createLeftOut, firstWarnings } from '../../host-agent/contract/artifact-warnings.js';
import { firstWarnings as firstOfBuild } from '../../shared/warnings.js';

const KOREAN = /[가-힣]/u;

t.test('warnings of builds', async (t) => {
  const leftOut = createLeftOut((name) => name);
  for (const reason of ['metadata', 'link', 'bundleLink', 'name', 'other'] as const) {
    for (const name of ['.git', 'a and 3 more', 'c', 'd', 'e']) leftOut.add(reason, name);
  }
  leftOut.replaced();
  const warnings = [
    ...leftOut.warnings(),
    ...firstWarnings(
      Array<string>(22).fill('The artifact a.ipa holds the value of the secret TOKEN.'),
      'artifacts hold values of secrets',
    ),
    ...firstOfBuild(['a', 'b', 'c'], 2).slice(1),
    '1 of 5 artifacts was left out: a build may keep 3 files and 1000 bytes.',
    '2 of 5 artifacts were not collected: the build was stopped.',
    '1 process of this build could not be ended.',
    'The submodule lib is empty: .gitmodules gives no address for it.',
    'The submodule lib is empty: file:///x is not on the server of the repository, or not an https or ssh address.',
    'The repository keeps files in Git LFS, and the work folder holds their pointers: run `git lfs pull` in the script.',
    'The submodule lib keeps files in Git LFS, and the work folder holds their pointers: Git LFS is not installed on the host.',
    'The end of the log was lost.',
    'The last output of the build may be missing.',
    'While the build ran, a reset of its Mac was asked for with when: now.',
  ];
  for (const warning of warnings) {
    t.equal(buildWarning(warning, 'en'), warning);
    const korean = buildWarning(warning, 'ko');
    t.match(korean, KOREAN, warning);
    t.notMatch(korean, /\b(?:because|they|was|were|the)\b/, warning);
  }
  t.match(buildWarning(warnings[1] ?? '', 'ko'), /^아티팩트에서 제외됨: \.git, a and 3 more, c 외 2개\. /);
  t.equal(buildWarning('of a newer service', 'ko'), 'of a newer service');
});

t.test('upgrades of agents and images of tiers that failed', async (t) => {
  for (const error of [
    ...[undefined, { connected: false }, { upgrade: null }, { upgrade: { able: false, error: null } }].map(
      (host) => whyLeftOut((host && { connected: true, ...host }) as never) ?? '',
    ),
    'it has not been connected for 5 min',
    'there is no package of 1.2.0 for darwin-arm64',
    'Version 1.2.0 did not connect to the service within 60 s; 1.1.0 runs again.',
    'mac-1: Version 1.2.0 ended 3 times before it was ready; 1.1.0 runs again.',
    'mac-1: the disk is full; 1.2.0 was not installed',
    "/opt/cidermill is not writable for the agent's user (EACCES)",
  ]) {
    t.equal(upgradeError(error, 'en'), error);
    t.match(upgradeError(error, 'ko'), KOREAN, error);
  }
  t.equal(upgradeError('mac-1: tar: broken', 'ko'), 'mac-1: tar: broken', 'what a tool says stays');
  for (const error of [
    'The tier has no image any more.',
    'The host has reported no progress for 10 minutes.',
    'no room for another image: 12.0 GB of disk space are missing',
    "the image's user must not be root",
  ]) {
    t.equal(imageError(error, 'en'), error);
    t.match(imageError(error, 'ko'), KOREAN, error);
  }
  t.equal(imageError('tart pull: unauthorized', 'ko'), 'tart pull: unauthorized');
});
