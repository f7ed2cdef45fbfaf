import type { Command } from 'commander';
import { type Action, subcommand, table } from '../command.js';
import { addAccountLimitCommands } from './account-limits.js';
import { organizationView } from './organization-view.js';

export function addOrganizationCommands(program: Command, action: Action): void {
  const org = program.command('org').description('accounts');

  subcommand(org, 'create', 'make an account with a workspace')
    .requiredOption('--name <name>', 'its name')
    .option('--slug <slug>', 'short name; made from the name otherwise')
    .action(
      action<{ name: string; slug?: string }>(async ({ organizations }, { name, slug }) => {
        const made = await organizations.create({ name, ...(slug === undefined ? {} : { slug }) });
        const json = { id: made.id, org_id: made.orgId, workspace_id: made.workspaceId };
        return { json, text: `${made.orgId} (number ${made.id}, workspace ${made.workspaceId})` };
      }),
    );

  subcommand(org, 'list', 'all accounts').action(
    action(async ({ organizations }) => {
      const all = await organizations.list();
      return {
        json: { organizations: all.map(organizationView) },
        text: table(all.map((o) => [o.orgId, String(o.id), o.slug, o.status, o.name])),
      };
    }),
  );

  for (const [name, status, description] of [
    ['suspend', 'suspended', 'let no key of the account do anything'],
    ['resume', 'active', 'end a suspension'],
  ] as const) {
    subcommand(org, `${name} <org>`, description).action(
      action(async ({ organizations }, _options, text) => {
        const organization = await organizations.find(text ?? '');
        await organizations.setStatus(organization, status);
        return {
          json: organizationView({ ...organization, status }),
          text: `${organization.orgId} is ${status}`,
        };
      }),
    );
  }
  for (const [name, paymentsBlocked, description] of [
    ['block-payments', true, 'let the account buy nothing'],
    ['unblock-payments', false, 'let it buy again'],
  ] as const) {
    subcommand(org, `${name} <org>`, description).action(
      action(async ({ organizations }, _options, text) => {
        const organization = await organizations.find(text ?? '');
        await organizations.setPaymentsBlocked(organization, paymentsBlocked);
        return {
          json: organizationView({ ...organization, paymentsBlocked }),
          text: `payments of ${organization.orgId} are ${paymentsBlocked ? 'blocked' : 'not blocked'}`,
        };
      }),
    );
  }
  addAccountLimitCommands(org, action);
}
