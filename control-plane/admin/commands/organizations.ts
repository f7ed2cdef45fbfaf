import type { Command } from 'commander';
import { getOrganization, listOrganizations } from '../../../client/operations/operator.js';
import type { ListedOrganization, OperatorOrganization } from '../../../client/types.js';
import {
  blockPayments,
  createOrganization,
  resumeOrganization,
  setLimits,
  suspendOrganization,
  unblockPayments,
} from '../../access/http/operator-organization-changes.js';
import { type Cli, everyPage, type Result, table } from '../command.js';
import type { OperatorClient } from '../operator-client.js';

export function addOrganizationCommands(program: Command, cli: Cli): void {
  const org = program.command('org').description('organizations');
  cli.operation(org, 'create', createOrganization, {
    text: ({ id, org_id, workspace_id }) => `${org_id} (number ${id}, workspace ${workspace_id})`,
  });
  cli.command(org, 'list', 'all organizations', async ({ client, show }) => {
    const all = (await everyPage((cursor) => client.read(listOrganizations, { cursor }))).sort((a, b) => a.id - b.id);
    show({
      json: { organizations: all.map(brief) },
      text: table(all.map((one) => [one.org_id, String(one.id), one.slug, one.status, one.name])),
    });
    return undefined;
  });
  for (const [verb, definition] of [
    ['suspend', suspendOrganization],
    ['resume', resumeOrganization],
  ] as const) {
    cli.operation(org, `${verb} <org>`, definition, { text: ({ org_id, status }) => `${org_id} is ${status}` });
  }
  for (const [verb, definition] of [
    ['block-payments', blockPayments],
    ['unblock-payments', unblockPayments],
  ] as const) {
    cli.operation(org, `${verb} <org>`, definition, {
      text: ({ org_id, payments_blocked }) =>
        `payments of ${org_id} are ${payments_blocked ? 'blocked' : 'not blocked'}`,
    });
  }
  cli.operation(org, 'set-limits <org>', setLimits, {
    result: ({ client }, { org_id }) => shown(client, org_id),
  });
  cli.command(
    org,
    'show <org>',
    'one organization, its usage and its limits',
    async ({ client, show }, _options, id) => {
      show(await shown(client, id ?? ''));
      return undefined;
    },
  );
}

const brief = ({
  id,
  org_id,
  name,
  slug,
  status,
  payments_blocked,
  created_at,
}: ListedOrganization | OperatorOrganization) => ({
  id,
  org_id,
  name,
  slug,
  status,
  payments_blocked,
  created_at,
});

async function shown(client: OperatorClient, org: string): Promise<Result> {
  const one = await client.read(getOrganization, org);
  const usage: Readonly<Record<string, number>> = { ...one.usage };
  const lines = one.limits.map((limit) => {
    const used = usage[limit.name];
    return [
      limit.meaning,
      `${used === undefined ? '' : `${written(used, limit)} of `}${written(limit.value, limit)}`,
      limit.changed ? `default ${written(limit.default, limit)}` : '',
    ];
  });
  const { org_id, id, slug, status, name } = one;
  const valuesOf = (limits: readonly Limit[]) => Object.fromEntries(limits.map((limit) => [limit.name, limit.value]));
  return {
    json: {
      ...brief(one),
      limits: valuesOf(one.limits),
      changed_limits: valuesOf(one.limits.filter(({ changed }) => changed)),
      usage: one.usage,
    },
    text: [table([[org_id, String(id), slug, status, name]]), table(lines), `slots held: ${one.usage.held_slots}`].join(
      '\n',
    ),
  };
}

type Limit = OperatorOrganization['limits'][number];

/** Shows a limit in its unit: `50 GiB`. */
const written = (value: number, { unit }: Pick<Limit, 'unit'>): string =>
  unit === null ? String(value) : `${Number((value / unit.size).toFixed(3))} ${unit.name}`;
