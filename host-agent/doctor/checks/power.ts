// Power: a host never sleeps, and starts again after a power failure.
import { finding } from '../../../shared/messages/findings.js';
import { asRoot, type Check, type CheckedHost, failed, notApplicable, ok, UnreadableError, warning } from '../check.js';

/**
 * Reads the settings that are in use, by their lower-case names.
 *
 * @throws UnreadableError
 * @example await powerSettings(host) // Map { 'sleep' => 0, 'displaysleep' => 10, 'autorestart' => 1, … }
 */
async function powerSettings({ run }: CheckedHost): Promise<Map<string, number>> {
  const { stdout, stderr } = await run('/usr/bin/pmset', ['-g']);
  const lines = stdout.matchAll(/^[ \t]*([A-Za-z][A-Za-z ]*?)[ \t]+(\d{1,9})(?:[ \t]+\(.*\))?[ \t]*$/gm);
  const settings = new Map([...lines].map(([, name = '', value]) => [name.toLowerCase(), Number(value)]));
  if (!settings.has('sleep')) throw new UnreadableError('pmset -g', stdout || stderr);
  return settings;
}

const pmset = (...settings: string[]) => [asRoot('/usr/bin/pmset', '-a', ...settings)];

/** Settings that should be 0, besides `sleep`. A machine that does not know one does not print it. */
const QUIET = ['disksleep', 'displaysleep', 'hibernatemode', 'powernap'];

const sleep: Check = {
  check: 'sleep',
  needs: 'macos',
  drivers: 'all',
  why: 'A sleeping host loses its connection, and its virtual machines stop.',
  help: '`sudo pmset -a sleep 0 disksleep 0 displaysleep 0 hibernatemode 0 powernap 0`',
  async look(host) {
    const settings = await powerSettings(host);
    const minutes = settings.get('sleep') ?? 0;
    const wrong = QUIET.filter((name) => (settings.get(name) ?? 0) !== 0);
    const change = (names: string[]) => pmset(...names.flatMap((name) => [name, '0']));
    if (minutes !== 0 && settings.get('sleepdisabled') !== 1) {
      return failed(finding('sleeps', { minutes }), change(['sleep', ...wrong]));
    }
    if (wrong.length === 0) return ok(finding('never_sleeps'));
    const shown = wrong.map((name) => `${name} ${settings.get(name)}`).join(', ');
    return warning(finding('parts_sleep', { settings: shown }), change(wrong));
  },
};

const powerFailure: Check = {
  check: 'power_failure',
  needs: 'macos',
  drivers: 'all',
  why: 'After a power failure a Mac stays off unless it is set to start.',
  help: '`sudo pmset -a autorestart 1 womp 1`',
  async look(host) {
    const settings = await powerSettings(host);
    const restarts = settings.get('autorestart');
    // Portable Macs have a battery instead.
    if (restarts === undefined) return notApplicable('this model has no such setting');
    const wrong = [
      ...(restarts === 1 ? [] : ['autorestart', '1']),
      ...(settings.get('womp') === 0 ? ['womp', '1'] : []),
    ];
    if (wrong.length === 0) return ok(finding('restarts'));
    return warning(finding(restarts === 1 ? 'no_wake' : 'stays_off'), pmset(...wrong));
  },
};

export const powerChecks = [sleep, powerFailure] as const;
