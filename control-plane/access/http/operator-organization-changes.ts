// Changes of organizations by operators.
import { z } from 'zod';
import { type AccountLimitName, accountLimitNames, accountLimitTable } from '../../platform/domain/account-limits.js';
import type { RouteAction } from '../../platform/domain/audit-entry.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type OperationContext, operation } from '../../platform/http/operation.js';
import type { NewOrganization, Organization, Organizations } from '../app/organizations.js';
import { organizationOf, organizationShape, organizationView, orgField } from './organization-view.js';

interface Deps {
  readonly organizations: Organizations;
}

const concerns: RouteAction['concerns'] = ['status', 'usage', 'members', 'workspaces'];

export const createOrganization = operation<Deps>()({
  name: 'org.create',
  summary: 'Create an organization with a workspace',
  input: z.object({
    name: z.string().meta({ description: 'Name of the organization' }),
    slug: z.string().optional().meta({ description: 'Short name; default: made from the name' }),
  }),
  output: z.object({
    id: z.int().meta({ description: 'Number of the organization' }),
    org_id: z.string(),
    workspace_id: z.string(),
  }),
  audit: { name: 'organization.create', concerns },
  confirm: false,
  access: 'console',
  errors: ['invalid_request'],
  async run({ organizations }, input, { record }) {
    const made = await organizations.create(
      input,
      record<NewOrganization>(({ id, orgId }) => ({ target: orgId, accountId: id })),
    );
    return { id: made.id, org_id: made.orgId, workspace_id: made.workspaceId };
  },
});

/** A change of one state of an organization. */
const stateOperation = (
  verb: string,
  summary: string,
  confirm: boolean,
  change: (organizations: Organizations, of: Organization, context: OperationContext) => Promise<Organization>,
) =>
  operation<Deps>()({
    name: `org.${verb}`,
    summary,
    input: z.object({ org: orgField }),
    output: organizationShape,
    audit: { name: `organization.${verb.replace('-', '_')}`, concerns },
    confirm,
    access: 'console',
    errors: ['not_found'],
    async run(deps, { org }, context) {
      return organizationView(await change(deps.organizations, await organizationOf(deps, org, context), context));
    },
  });

const setStatus =
  (status: 'active' | 'suspended') =>
  async (organizations: Organizations, of: Organization, { record }: OperationContext) => {
    await organizations.setStatus(of, status, record());
    return { ...of, status };
  };
const setPaymentsBlocked =
  (paymentsBlocked: boolean) =>
  async (organizations: Organizations, of: Organization, { record }: OperationContext) => {
    await organizations.setPaymentsBlocked(of, paymentsBlocked, record());
    return { ...of, paymentsBlocked };
  };

export const suspendOrganization = stateOperation(
  'suspend',
  'Refuse every request of the organization and its keys',
  true,
  setStatus('suspended'),
);
export const resumeOrganization = stateOperation('resume', 'End a suspension', false, setStatus('active'));
export const blockPayments = stateOperation(
  'block-payments',
  'Refuse orders and payments of the organization',
  true,
  setPaymentsBlocked(true),
);
export const unblockPayments = stateOperation('unblock-payments', 'Let it buy again', false, setPaymentsBlocked(false));

/** The field of a limit, in its unit. @example limitField('contents_bytes') // 'contents_gb' */
const limitField = (name: AccountLimitName) => accountLimitTable[name].option.replaceAll('-', '_');

const limitFields: Record<string, z.ZodOptional<z.ZodNumber>> = Object.fromEntries(
  accountLimitNames.map((name) => {
    const { unit, meaning } = accountLimitTable[name];
    const description = meaning + (unit === null ? '' : `, in ${unit.name}`);
    return [
      limitField(name),
      (unit === null ? z.int().max(999_999_999) : z.number().max(999_999)).min(0).optional().meta({ description }),
    ];
  }),
);

export const setLimits = operation<Deps>()({
  name: 'org.set-limits',
  summary: 'Set limits of an organization, effective from its next request',
  input: z.object({
    org: orgField,
    ...limitFields,
    reset: z.boolean().default(false).meta({ description: 'Reset all other limits to their defaults' }),
  }),
  output: z.object({
    org_id: z.string(),
    changed_limits: z.record(z.string(), z.number()).meta({ description: 'Bytes, ms or a number, by name' }),
  }),
  audit: { name: 'organization.set_limits', concerns },
  confirm: false,
  access: 'console',
  errors: ['not_found', 'invalid_request'],
  async run(deps, { org, reset, ...given }, context) {
    const organization = await organizationOf(deps, org, context);
    const values = given as Readonly<Record<string, number | undefined>>;
    const changes = Object.fromEntries(
      accountLimitNames.flatMap((name) => {
        const value = values[limitField(name)];
        return value === undefined ? [] : [[name, Math.round(value * (accountLimitTable[name].unit?.size ?? 1))]];
      }),
    );
    if (!reset && Object.keys(changes).length === 0) {
      const message = `Give a limit (${accountLimitNames.map(limitField).join(', ')}) or reset.`;
      throw new ApiError('invalid_request', { message });
    }
    const changed = await deps.organizations.setLimits(organization, changes, reset, context.record());
    return { org_id: organization.orgId, changed_limits: { ...changed } };
  },
});

export const organizationOperations = [
  createOrganization,
  suspendOrganization,
  resumeOrganization,
  blockPayments,
  unblockPayments,
  setLimits,
];
