// Texts that the API gives in English only, and the console says in Korean, too: failed upgrades, images.
import t from 'tap';
import { upgradeError } from '../../control-plane/console/pages/operator/parts/upgrade-error.js';
import { imageError } from '../../control-plane/console/pages/operator/tiers/image-error.js';
import { whyLeftOut } from '../../control-plane/hosts/domain/rollout.js';

const KOREAN = /[가-힣]/u;

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
