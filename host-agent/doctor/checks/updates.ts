// Updates that macOS installs by itself.
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding } from '../../../shared/messages/findings.js';
import { asRoot, type Check, type CheckedHost, ok, warning } from '../check.js';
import { numberIn, preference } from './preferences.js';

const DOMAIN = '/Library/Preferences/com.apple.SoftwareUpdate';
/** A configuration profile wins. */
const MANAGED = '/Library/Managed Preferences/com.apple.SoftwareUpdate';
const KEYS = ['AutomaticallyInstallMacOSUpdates', 'AutomaticDownload'] as const;

const automaticUpdates: Check = {
  check: 'automatic_updates',
  needs: 'macos',
  drivers: 'all',
  why: 'An update restarts the machine in the middle of builds, or waits for an answer at the screen.',
  help: '`sudo defaults write /Library/Preferences/com.apple.SoftwareUpdate AutomaticallyInstallMacOSUpdates -bool false`, and `AutomaticDownload`',
  async look(host) {
    const on: { key: string; managed: boolean }[] = [];
    for (const key of KEYS) {
      const value = await settingOf(host, key);
      if (value.is !== 0) on.push({ key, managed: value.managed });
    }
    if (on.length === 0) return ok(finding('off'));
    const keys = on.map(({ key }) => key).join(', ');
    if (on.some(({ managed }) => managed)) {
      return warning(finding('on_by_profile', { keys }), findingFix('change_profile'));
    }
    return warning(
      finding('on_keys', { keys }),
      on.map(({ key }) => asRoot('/usr/bin/defaults', 'write', DOMAIN, key, '-bool', 'false')),
    );
  },
};

/** Without a value macOS installs updates. */
async function settingOf(host: CheckedHost, key: string): Promise<{ is: number | null; managed: boolean }> {
  const managed = numberIn((await preference(host, MANAGED)) ?? '', key);
  if (managed !== null) return { is: managed, managed: true };
  return { is: numberIn((await preference(host, DOMAIN)) ?? '', key), managed: false };
}

export const updateChecks = [automaticUpdates] as const;
