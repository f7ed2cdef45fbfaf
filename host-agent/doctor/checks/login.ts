// Who is logged in, and whether that survives a restart: virtual machines need the login keychain of their user.

import { stat } from 'node:fs/promises';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding } from '../../../shared/messages/findings.js';
import { TIMED_OUT } from '../../installation/system-tools.js';
import { asUser, type Check, type CheckedHost, failed, notApplicable, ok, UnreadableError, warning } from '../check.js';
import { preference } from './preferences.js';

const AS_ROOT = notApplicable('run as the agent’s user to check this');
const isRoot = ({ user }: CheckedHost) => user.uid === 0;

const session: Check = {
  check: 'session',
  needs: 'macos',
  drivers: 'vm',
  why: 'The login at the screen unlocks the keychain that guests with macOS 15 and later need.',
  help: 'log in at the screen once, and set up automatic login',
  async look(host) {
    if (isRoot(host)) return AS_ROOT;
    const { user, run } = host;
    const { code } = await run('/bin/launchctl', ['print', `gui/${user.uid}`]);
    const { stdout } = await run('/bin/launchctl', ['managername']);
    const own = stdout.trim();
    if (!/^[A-Za-z]{1,40}$/.test(own)) throw new UnreadableError('launchctl managername', stdout);
    if (code === 0) return ok(finding('logged_in', { user: user.name, session: own }));
    return warning(finding('not_logged_in', { user: user.name }), findingFix('log_in', { user: user.name }));
  },
};

const LOGIN_WINDOW = '/Library/Preferences/com.apple.loginwindow';
const KEYCHAIN = 'Library/Keychains/login.keychain-db';

const autoLogin: Check = {
  check: 'auto_login',
  needs: 'macos',
  drivers: 'vm',
  why: 'After a restart nobody is logged in at the screen, the keychain stays locked, and no virtual machine starts.',
  help: 'System Settings > Users & Groups > Automatically log in as; not possible with FileVault',
  async look(host) {
    const name = await preference(host, LOGIN_WINDOW, 'autoLoginUser');
    const fix = isRoot(host)
      ? findingFix('automatic_login')
      : findingFix('automatic_login_as', { user: host.user.name });
    if (name === null) return warning(finding('nobody_after_restart'), fix);
    if (!isRoot(host) && name !== host.user.name) {
      return warning(finding('other_after_restart', { name, user: host.user.name }), fix);
    }
    const stored = await stat(host.file('/etc/kcpassword')).then(
      () => true,
      () => false,
    );
    if (stored) return ok(name);
    return warning(finding('no_stored_password', { name }), fix);
  },
};

const fileVault: Check = {
  check: 'filevault',
  needs: 'macos',
  drivers: 'all',
  name: () => 'FileVault',
  why: 'With FileVault a restart waits at the screen for a password, and automatic login has no effect.',
  help: 'turn it off, or restart only with `sudo fdesetup authrestart`; macOS 26 can be unlocked by ssh',
  async look(host) {
    const { stdout, stderr } = await host.run('/usr/bin/fdesetup', ['status']);
    const said = stdout.trim();
    const state =
      /^FileVault is (On|Off)\b/m.exec(said)?.[1] ?? (/^(?:En|De)cryption in progress/m.test(said) ? 'On' : null);
    if (state === null) throw new UnreadableError('fdesetup status', stdout || stderr);
    if (state === 'Off' && !/will be enabled/.test(said)) return ok(finding('off'));
    const name = await preference(host, LOGIN_WINDOW, 'autoLoginUser');
    const on = state === 'On' ? 'on' : 'will_be_on';
    return warning(
      name === null ? finding('filevault', { state: on }) : finding('filevault_and_login', { state: on, name }),
      findingFix('turn_off_filevault'),
    );
  },
};

const keychain: Check = {
  check: 'keychain',
  needs: 'macos',
  drivers: 'vm',
  why: 'Guests with macOS 15 and later do not start while the login keychain of the agent’s user is locked.',
  help: '`security unlock-keychain`; `security set-keychain-settings` without a time',
  async look(host) {
    if (isRoot(host)) return AS_ROOT;
    const file = `${host.user.home}/${KEYCHAIN}`;
    const { code, stdout, stderr } = await host.run('/usr/bin/security', ['show-keychain-info', file]);
    const said = `${stdout}${stderr}`;
    if (/could not be found/.test(said)) {
      return failed(finding('missing_file', { file }), findingFix('log_in_once', { user: host.user.name }));
    }
    if (/User interaction is not allowed/.test(said) || code === TIMED_OUT) {
      return failed(
        finding('keychain_locked'),
        findingFix('unlock_keychain', { command: `security unlock-keychain ${file}` }),
      );
    }
    if (code !== 0) throw new UnreadableError('security show-keychain-info', said);
    const keep = [asUser('/usr/bin/security', 'set-keychain-settings', file)];
    const seconds = /timeout=(\d{1,9})s/.exec(said)?.[1];
    if (seconds !== undefined) return warning(finding('keychain_locks_later', { seconds: Number(seconds) }), keep);
    if (/lock-on-sleep/.test(said)) return warning(finding('keychain_locks_on_sleep'), keep);
    if (!/no-timeout/.test(said)) throw new UnreadableError('security show-keychain-info', said);
    return ok(finding('keychain_unlocked'));
  },
};

const screenLock: Check = {
  check: 'screen_lock',
  needs: 'macos',
  drivers: 'vm',
  why: 'A locked screen keeps operators from seeing what macOS asks, and some of its questions stop virtual machines.',
  help: '`sysadminctl -screenLock off -password -`',
  async look(host) {
    if (isRoot(host)) return AS_ROOT;
    const { stdout, stderr } = await host.run('/usr/sbin/sysadminctl', ['-screenLock', 'status']);
    const said = `${stdout}${stderr}`;
    if (/screenLock is off/i.test(said)) return ok(finding('off'));
    const delay = /screenLock delay is (immediate|\d{1,9} seconds?)/i.exec(said)?.[1];
    if (delay === undefined) throw new UnreadableError('sysadminctl -screenLock status', said);
    return warning(
      delay.toLowerCase() === 'immediate'
        ? finding('screen_locks_at_once')
        : finding('screen_locks_after', { delay: Number.parseInt(delay, 10) }),
      findingFix('turn_off_screen_lock', { command: 'sysadminctl -screenLock off -password -' }),
    );
  },
};

const appNap: Check = {
  check: 'app_nap',
  needs: 'macos',
  drivers: 'vm',
  name: () => 'App Nap',
  why: 'macOS slows down programs that show no window.',
  help: '`defaults write NSGlobalDomain NSAppSleepDisabled -bool true`',
  async look(host) {
    if (isRoot(host)) return AS_ROOT;
    const value = await preference(host, 'NSGlobalDomain', 'NSAppSleepDisabled');
    if (value === '1') return ok(finding('off'));
    return warning(finding('on'), [
      asUser('/usr/bin/defaults', 'write', 'NSGlobalDomain', 'NSAppSleepDisabled', '-bool', 'true'),
    ]);
  },
};

export const loginChecks = [session, autoLogin, fileVault, keychain, screenLock, appNap] as const;
