// The agent's part in upgrades alone, as a program: reads what the control plane wants from a file, and appends what it
// reports to another one. Ends when another version is the current one.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createUpgrades } from '../../../host-agent/daemon/upgrades.js';
import { installedHere } from '../../../host-agent/installation/paths.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';

/** @param welcome whether the control plane accepts this agent */
export async function serve(welcome: boolean): Promise<void> {
  const { SMALL_DESIRE = '', SMALL_REPORTS = '', SMALL_URL = '', SMALL_TRIAL_MS = '' } = process.env;
  const installation = installedHere();
  const report = (facts: object) =>
    appendFileSync(SMALL_REPORTS, `${JSON.stringify({ runs: installation?.version, ...facts })}\n`);
  const upgrades = createUpgrades({
    installation,
    clock: systemClock,
    log: createLog('small', 'silent'),
    keys: [],
    address: () => ({ siteUrl: SMALL_URL, credential: 'x' }),
    limits: () => ({ ...defaultDaemonLimits, upgradeTrialMs: Number(SMALL_TRIAL_MS) }),
    macs: { facts: async () => [] },
    builds: { facts: () => [] },
    send(message) {
      if (message.type === 'facts' && message.upgrade) report(message.upgrade);
      return true;
    },
    replaced: () => process.exit(0),
  });
  report(upgrades.facts());
  upgrades.started();
  if (welcome) {
    upgrades.welcomed();
    if (existsSync(SMALL_DESIRE)) upgrades.desire(JSON.parse(readFileSync(SMALL_DESIRE, 'utf8')));
  }
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
