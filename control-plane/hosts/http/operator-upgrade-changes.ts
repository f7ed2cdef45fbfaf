// Upgrades of agents by operators.
import { z } from 'zod';
import { targetOfAll } from '../../platform/domain/audit-entry.js';
import { operation } from '../../platform/http/operation.js';
import { count } from '../../platform/http/values.js';
import type { Rollouts } from '../app/rollouts.js';
import { selectedSubject, selectionFields, selectionOf } from './host-selection.js';
import { rolloutShape, rolloutView } from './rollout-view.js';

const output = z.object({ upgrade: rolloutShape });

export const upgradeHosts = operation<{ readonly rollouts: Pick<Rollouts, 'begin' | 'show'> }>()({
  name: 'host.upgrade',
  summary: 'Install another version of the agent on hosts; running builds continue',
  input: z.object({
    ...selectionFields,
    to: z
      .string()
      .optional()
      .meta({ description: 'Version, also an older one (default: the newest package of the service)' }),
    canary: count
      .default(1)
      .meta({ description: 'Hosts that go first and prove the version before the others follow' }),
  }),
  output,
  audit: { name: 'host.upgrade', concerns: [] },
  confirm: false,
  access: 'console',
  errors: ['invalid_request', 'host_not_found', 'host_state'],
  async run({ rollouts }, input, { record, concerns }) {
    concerns(selectedSubject(input));
    await rollouts.begin(
      selectionOf(input),
      { version: input.to, canaries: input.canary },
      record((ids) => ({ target: targetOfAll(ids) })),
    );
    return newest(rollouts);
  },
});

export const cancelUpgrade = operation<{ readonly rollouts: Pick<Rollouts, 'cancel' | 'show'> }>()({
  name: 'host.upgrade.cancel',
  summary: 'Stop the upgrade; hosts that are already restarting continue',
  input: z.object({}),
  output,
  audit: { name: 'host.upgrade', concerns: [] },
  confirm: false,
  access: 'console',
  errors: ['host_state'],
  async run({ rollouts }, _input, { record }) {
    await rollouts.cancel(record((target) => ({ target })));
    return newest(rollouts);
  },
});

async function newest(rollouts: Pick<Rollouts, 'show'>) {
  const shown = await rollouts.show();
  if (shown === null) throw new Error('the upgrade that was just changed is missing');
  return { upgrade: rolloutView(shown) };
}

export const upgradeOperations = [upgradeHosts, cancelUpgrade];
