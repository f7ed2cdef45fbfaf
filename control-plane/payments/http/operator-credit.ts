// Credit of organizations, as operators read and adjust it.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Organizations } from '../../access/app/organizations.js';
import { organizationOf, orgField } from '../../access/http/organization-view.js';
import { usdText } from '../../platform/domain/usd-text.js';
import { because } from '../../platform/http/issue-problem.js';
import { operation } from '../../platform/http/operation.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Credit } from '../app/credit.js';

interface Deps {
  readonly credit: Credit;
  readonly organizations: Organizations;
}

const SHOWN = 10;
/** A million dollars. */
const LARGEST = 1_000_000_000_000;

const creditShape = z
  .object({
    org_id: z.string(),
    balance_micro_usd: z.int().meta({ description: 'Millionths of a dollar' }),
    balance_usd: z.string(),
    reserved_micro_usd: z.int().meta({ description: 'Part of the balance that is being withdrawn' }),
    entries: z
      .array(
        z.object({
          at: time,
          kind: z.string(),
          micro_usd: z.int(),
          order_id: z.string().nullable(),
          krw: z.int().nullable(),
          reason: z.string().nullable(),
        }),
      )
      .meta({ description: 'The 10 latest entries' }),
  })
  .meta({ id: 'OperatorCredit' });

async function creditOf({ credit }: Deps, { id, orgId }: { id: number; orgId: string }) {
  const { balance, reserved } = await credit.balance(id);
  const entries = await credit.entries(id, { before: null, limit: SHOWN });
  return {
    org_id: orgId,
    balance_micro_usd: balance,
    balance_usd: usdText(balance),
    reserved_micro_usd: reserved,
    entries: entries.map((entry) => ({
      at: new Date(entry.at).toISOString(),
      kind: entry.kind,
      micro_usd: entry.microUsd,
      order_id: entry.orderId,
      krw: entry.krw,
      reason: entry.reason,
    })),
  };
}

export function createOperatorCreditRoutes(deps: Deps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/credit',
      operationId: 'getCredit',
      level: 'read',
      summary: 'The credit of an organization, and its latest entries',
      params: z.object({ org_id: z.string() }),
      responses: { 200: creditShape },
      async handle({ params }) {
        return { status: 200, body: await creditOf(deps, await deps.organizations.find(params.org_id)) };
      },
    }),
  ];
}

export const adjustCredit = operation<Deps>()({
  name: 'credit.adjust',
  summary: 'Add credit to an organization, or take credit away',
  input: z.object({
    org: orgField,
    micro_usd: z
      .int()
      .min(-LARGEST)
      .max(LARGEST)
      .refine((n) => n !== 0, because(fieldProblem('zero')))
      .meta({ description: 'Millionths of a dollar; negative: credit is taken away' }),
    reason: z.string().trim().min(1).max(200).meta({ description: 'Shown to the organization' }),
  }),
  output: creditShape,
  audit: { name: 'credit.adjust', concerns: ['ledger', 'topups'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'invalid_request', 'credit_spent'],
  async run(deps, { org, micro_usd, reason }, context) {
    const organization = await organizationOf(deps, org, context);
    await deps.credit.adjust(organization.id, micro_usd, reason, context.record());
    return creditOf(deps, organization);
  },
});

export const creditOperations = [adjustCredit];
