// `cidermill admin org show` and `org set-limits`.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { usageView } from '../../access/http/account-view.js';
import type { Organization } from '../../access/store/organizations.js';
import {
  type AccountLimit,
  type AccountLimitName,
  accountLimitNames,
  accountLimitTable,
  limitsOf,
} from '../../platform/domain/account-limits.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Action, subcommand, table } from '../command.js';
import type { AdminService } from '../service.js';
import { organizationView } from './organization-view.js';

const rows: readonly (readonly [AccountLimitName, AccountLimit])[] = accountLimitNames.map((name) => [
  name,
  accountLimitTable[name],
]);

export function addAccountLimitCommands(org: Command, action: Action): void {
  const setLimits = subcommand(org, 'set-limits <org>', 'set limits of an account').option(
    '--reset',
    'reset all other limits to their defaults',
  );
  const options = rows.map(([name, row]) => {
    const { option, unit, meaning } = row;
    const made = new Option(`--${option} <n>`, `${meaning}${unit === null ? '' : `, ${unit.name}`}`).argParser((text) =>
      amount(text, row),
    );
    setLimits.addOption(made);
    return [made.attributeName(), name] as const;
  });
  setLimits.action(
    action<Record<string, unknown> & { reset?: boolean }>(async (service, given, text) => {
      const changes: Record<string, number> = {};
      for (const [attribute, name] of options) {
        const value = given[attribute];
        if (typeof value === 'number') changes[name] = value;
      }
      const reset = given.reset === true;
      if (!reset && Object.keys(changes).length === 0) {
        const message = `Give a limit (${rows.map(([, { option }]) => `--${option}`).join(', ')}) or --reset.`;
        throw new ApiError('invalid_request', { message });
      }
      const organization = await service.organizations.find(text ?? '');
      const limits = await service.organizations.setLimits(organization, changes, reset);
      return shown(service, { ...organization, limits });
    }),
  );
  subcommand(org, 'show <org>', 'show an account, its usage and its limits').action(
    action(async (service, _options, text) => shown(service, await service.organizations.find(text ?? ''))),
  );
}

async function shown({ limits: defaults, usageNow }: AdminService, organization: Organization) {
  const limits = limitsOf(organization, defaults);
  const usage = usageView(await usageNow(organization.id));
  const used: Partial<Record<AccountLimitName, number>> = usage;
  const usedOf = (name: AccountLimitName, row: AccountLimit) =>
    used[name] === undefined ? '' : `${written(used[name], row)} of `;
  const lines = rows.map(([name, row]) => [
    row.meaning,
    `${usedOf(name, row)}${written(limits[name], row)}`,
    organization.limits[name] === undefined ? '' : `default ${written(defaults[row.fallback], row)}`,
  ]);
  const { orgId, id, slug, status, name } = organization;
  return {
    json: { ...organizationView(organization), limits, changed_limits: organization.limits, usage },
    text: [table([[orgId, String(id), slug, status, name]]), table(lines), `slots held: ${usage.held_slots}`].join(
      '\n',
    ),
  };
}

/** Sizes may have decimals, other limits are whole numbers. */
function amount(text: string, { unit }: AccountLimit): number {
  if (unit === null && /^\d{1,9}$/.test(text)) return Number(text);
  if (unit !== null && /^\d{1,6}(\.\d{1,9})?$/.test(text)) return Math.round(Number(text) * unit.size);
  throw new InvalidArgumentError(
    unit === null ? 'expected a whole number.' : `expected a number of ${unit.name}, such as 50 or 0.5.`,
  );
}

/** Shows a limit in its unit: `50 GiB`. */
function written(value: number, { unit }: AccountLimit): string {
  return unit === null ? String(value) : `${Number((value / unit.size).toFixed(3))} ${unit.name}`;
}
