// GET /v1/organizations/:org_id/credit, …/ledger; GET /v1/fx-rates/today.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Limits } from '../../platform/domain/limits.js';
import { usdText } from '../../platform/domain/usd-text.js';
import { issueBecause } from '../../platform/http/issue-problem.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Credit } from '../app/credit.js';
import type { ExchangeRates } from '../app/exchange-rates.js';
import { type CreditEntry, creditKinds } from '../domain/credit.js';
import { rateSources } from '../domain/exchange-rate.js';
import { payers } from './payment-bodies.js';
import { usdAmount } from './top-up-view.js';

export interface CreditRoutesDeps {
  readonly credit: Credit;
  readonly rates: ExchangeRates;
  readonly limits: Limits;
}

const inConsole = { consoleOnly: true, roles: payers } as const;

const balanceShape = z
  .object({
    balance_micro_usd: z.int().meta({ description: 'Negative after a chargeback of credit that was spent' }),
    balance_usd: usdAmount,
    reserved_micro_usd: z.int().min(0).meta({ description: 'Part of the balance that is being withdrawn' }),
    reserved_usd: usdAmount,
  })
  .meta({ id: 'CreditBalance' });

const entryShape = z
  .object({
    id: z.string(),
    at: time,
    kind: z.enum(creditKinds),
    micro_usd: z.int().meta({ description: 'Negative: taken' }),
    credit_usd: usdAmount,
    balance_usd: usdAmount.meta({ description: 'After this entry' }),
    order_id: z.string().nullable().meta({ description: 'The top-up' }),
    order_no: z.string().nullable().meta({ description: 'The order of Macs that was paid or refunded' }),
    krw: z.int().nullable().meta({ description: 'Won that was paid; negative: refunded' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'CreditEntry' });

const entryView = (entry: CreditEntry): z.infer<typeof entryShape> => ({
  id: `ce_${entry.entryId}`,
  at: new Date(entry.at).toISOString(),
  kind: entry.kind,
  micro_usd: entry.microUsd,
  credit_usd: usdText(entry.microUsd),
  balance_usd: usdText(entry.balanceMicroUsd),
  order_id: entry.orderId,
  order_no: entry.paidOrderNo,
  krw: entry.krw,
  reason: entry.reason,
});

export function createCreditRoutes({ credit, rates, limits }: CreditRoutesDeps): AnyRoute[] {
  return [
    route({
      ...inConsole,
      method: 'GET',
      path: '/v1/organizations/:org_id/credit',
      operationId: 'getCredit',
      level: 'manage',
      summary: 'Credit of the organization',
      responses: { 200: balanceShape },
      async handle({ caller }) {
        const { balance, reserved } = await credit.balance(caller.account.id);
        const body = {
          balance_micro_usd: balance,
          balance_usd: usdText(balance),
          reserved_micro_usd: reserved,
          reserved_usd: usdText(reserved),
        };
        return { status: 200, body };
      },
    }),
    route({
      ...inConsole,
      method: 'GET',
      path: '/v1/organizations/:org_id/ledger',
      operationId: 'listLedger',
      level: 'manage',
      summary: 'What changed the credit of the organization, newest first',
      query: z.object({
        limit: integerParam(1, limits.topups_page_max).optional(),
        cursor: cursorParam.optional(),
      }),
      responses: {
        200: z
          .object({ data: z.array(entryShape), next_cursor: z.string().nullable() })
          .meta({ id: 'CreditLedgerPage' }),
      },
      async handle({ caller, query }) {
        const limit = query.limit ?? limits.topups_page_default;
        const page = { before: query.cursor ?? null, limit: limit + 1 };
        const found = await credit.entries(caller.account.id, page);
        const data = found.slice(0, limit).map(entryView);
        const last = found.length > limit ? data.at(-1) : undefined;
        return { status: 200, body: { data, next_cursor: last?.id ?? null } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/fx-rates/today',
      operationId: 'getExchangeRate',
      level: 'read',
      sessionScope: 'person',
      summary: 'The exchange rate that new top-ups get',
      responses: {
        200: z
          .object({
            fx_day: z.string().meta({ format: 'date', description: 'Day of the rate, in Korea' }),
            krw_per_usd: z.string(),
            source: z.enum(rateSources),
            fetched_at: time,
          })
          .meta({ id: 'ExchangeRate' }),
      },
      errors: ['fx_unavailable'],
      async handle() {
        const { fxDay, krwPerUsd, source, fetchedAt } = await rates.today();
        const body = {
          fx_day: fxDay,
          krw_per_usd: krwPerUsd,
          source,
          fetched_at: new Date(fetchedAt).toISOString(),
        };
        return { status: 200, body };
      },
    }),
  ];
}

const cursorParam = z
  .string()
  .transform((text, context) => {
    const [, id] = /^ce_(\d{1,15})$/.exec(text) ?? [];
    if (id === undefined) context.addIssue(issueBecause(fieldProblem('not_a_cursor')));
    return Number(id);
  })
  .meta({ title: '`next_cursor` of the previous page' });
