// /v1/organizations/:org_id/topups: create, list, and below …/:order_id: GET, pay, confirm, cancel, withdraw.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { type SiteAddresses, topUpPayUrl } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import type { Limits } from '../../platform/domain/limits.js';
import { issueBecause } from '../../platform/http/issue-problem.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import { won } from '../../platform/http/values.js';
import type { Payments } from '../app/payments.js';
import type { TopUpPosition, TopUpState, TopUps } from '../app/top-ups.js';
import type { Withdrawals } from '../app/withdrawals.js';
import { paymentProviders } from '../domain/payment.js';
import { confirmBody, payBody, payers, payInput, proofOf, refusals } from './payment-bodies.js';
import { consentShape, consentView, paymentShape, paymentView, sellerShape } from './payment-view.js';
import { topUpShape, topUpView } from './top-up-view.js';

export interface TopUpRoutesDeps {
  /** Who sells, as on receipts; null: not set. */
  readonly seller: string | null;
  readonly topUps: TopUps;
  readonly payments: Payments<TopUpState>;
  readonly withdrawals: Withdrawals;
  readonly limits: Limits;
  readonly site: SiteAddresses;
}

const LIST = '/v1/organizations/:org_id/topups';
const ONE = `${LIST}/:order_id`;
const inConsole = { consoleOnly: true, roles: payers } as const;
const one = { ...inConsole, params: z.object({ org_id: z.string(), order_id: z.string() }) } as const;

const paid = topUpShape.extend({ payment: paymentShape.nullable() }).meta({ id: 'TopUpPayment' });

export function createTopUpRoutes(deps: TopUpRoutesDeps): AnyRoute[] {
  return [...listRoutes(deps), ...readRoutes(deps), ...payRoutes(deps)];
}

const viewOf =
  ({ limits, site }: TopUpRoutesDeps) =>
  ({ account }: Caller, { topUp }: Pick<TopUpState, 'topUp'>) =>
    topUpView(topUp, account.orgId, { limits, payUrl: (orderId) => topUpPayUrl(site, orderId) });

function listRoutes(deps: TopUpRoutesDeps): AnyRoute[] {
  const { topUps, limits } = deps;
  const view = viewOf(deps);
  return [
    route({
      ...inConsole,
      method: 'POST',
      path: LIST,
      operationId: 'createTopUp',
      level: 'manage',
      action: { name: 'top_up.create', made: 'order_id', concerns: ['topups', 'ledger'] },
      summary: "Create a top-up at today's exchange rate; nothing is charged until a person pays it",
      body: z.object({ usd: z.int().min(1).max(limits.topup_usd_max) }),
      idempotent: true,
      responses: { 201: paid },
      errors: ['fx_unavailable', 'account_blocked', 'too_many_pending_orders'],
      async handle({ caller, body, recordReply }) {
        const created = (state: TopUpState): RouteReply => ({
          status: 201,
          body: { ...view(caller, state), payment: paymentView(state) },
        });
        return created(await topUps.create(caller, body.usd, recordReply(created)));
      },
    }),
    route({
      ...inConsole,
      method: 'GET',
      path: LIST,
      operationId: 'listTopUps',
      level: 'manage',
      summary: 'Top-ups of the organization, newest first',
      query: z.object({
        limit: integerParam(1, limits.topups_page_max).optional(),
        cursor: cursorParam.optional(),
      }),
      responses: {
        200: z.object({ data: z.array(topUpShape), next_cursor: z.string().nullable() }).meta({ id: 'TopUpPage' }),
      },
      async handle({ caller, query }) {
        const limit = query.limit ?? limits.topups_page_default;
        const found = await topUps.list(caller, { after: query.cursor ?? null, limit: limit + 1 });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        return {
          status: 200,
          body: {
            data: page.map((topUp) => view(caller, { topUp })),
            next_cursor: last ? toCursor(last) : null,
          },
        };
      },
    }),
  ];
}

function readRoutes(deps: TopUpRoutesDeps): AnyRoute[] {
  const { payments, withdrawals, seller } = deps;
  const view = viewOf(deps);
  return [
    route({
      ...one,
      method: 'GET',
      path: ONE,
      operationId: 'getTopUp',
      level: 'manage',
      summary: 'A top-up as shown to its payer, with the text to agree to',
      responses: {
        200: paid
          .extend({
            withdrawable_krw: won.meta({ description: 'What can be withdrawn now' }),
            provider: z.enum(paymentProviders),
            consent: consentShape,
            seller: sellerShape,
          })
          .meta({ id: 'TopUpDetail' }),
      },
      errors: ['not_found'],
      async handle({ caller, params }) {
        const state = await payments.read(caller, params.order_id);
        return {
          status: 200,
          body: {
            ...view(caller, state),
            payment: paymentView(state),
            withdrawable_krw: await withdrawals.withdrawable(state.topUp),
            provider: payments.provider,
            consent: consentView(payments.consentText),
            seller,
          },
        };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: `${ONE}/withdraw`,
      operationId: 'withdrawTopUp',
      level: 'manage',
      action: { name: 'top_up.withdraw', concerns: ['topups', 'ledger'] },
      confirm: true,
      beyondRecordsLimit: 'pays',
      summary: 'Refund a top-up or a part of it; its credit must not be spent',
      body: z.object({
        krw: z.int().min(1).optional().meta({ description: 'Default: all that has not been refunded' }),
      }),
      idempotent: true,
      // The provider is asked after the credit has been reserved.
      amendsReply: true,
      responses: { 200: topUpShape },
      errors: [
        ...(['not_found', 'account_blocked', 'topup_not_withdrawable'] as const),
        ...(['withdrawal_expired', 'credit_spent'] as const),
      ],
      async handle({ caller, params, body, recordReply }) {
        const withdrawn = (state: TopUpState): RouteReply => ({ status: 200, body: view(caller, state) });
        const { order_id } = params;
        const krw = body.krw ?? null;
        return withdrawn(await withdrawals.withdraw(caller, order_id, krw, recordReply(withdrawn)));
      },
    }),
  ];
}

function payRoutes(deps: TopUpRoutesDeps): AnyRoute[] {
  const { payments } = deps;
  const view = viewOf(deps);
  const reply = (caller: Caller, state: TopUpState): RouteReply => ({
    status: 200,
    body: { ...view(caller, state), payment: paymentView(state) },
  });
  return [
    route({
      ...one,
      method: 'POST',
      path: `${ONE}/pay`,
      operationId: 'payTopUp',
      level: 'manage',
      action: { name: 'top_up.pay', concerns: ['topups', 'ledger'] },
      confirm: true,
      beyondRecordsLimit: 'pays',
      summary: 'Agree and pay; with PortOne the response carries the parameters of its browser script',
      body: payBody,
      responses: { 200: paid },
      errors: [...refusals, 'consent_required'],
      async handle({ caller, params, body, recordAction }) {
        return reply(caller, await payments.pay(caller, params.order_id, payInput(body), recordAction()));
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: `${ONE}/confirm`,
      operationId: 'confirmTopUp',
      level: 'manage',
      action: { name: 'top_up.confirm', concerns: ['topups', 'ledger'] },
      beyondRecordsLimit: 'pays',
      summary: 'Confirm after the browser step; idempotent',
      body: confirmBody,
      responses: { 200: paid },
      errors: [...refusals, 'consent_required'],
      async handle({ caller, params, body, recordAction }) {
        return reply(caller, await payments.confirm(caller, params.order_id, proofOf(body), recordAction()));
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: `${ONE}/cancel`,
      operationId: 'cancelTopUp',
      level: 'manage',
      action: { name: 'top_up.cancel', concerns: ['topups', 'ledger'] },
      beyondRecordsLimit: 'frees',
      summary: 'Cancel an unpaid top-up',
      responses: { 200: paid },
      errors: ['not_found', 'order_expired', 'order_not_payable', 'payment_unavailable'],
      async handle({ caller, params, recordAction }) {
        return reply(caller, await payments.cancel(caller, params.order_id, recordAction()));
      },
    }),
  ];
}

/** @example toCursor({ createdAt: 1772355600000, orderId: 'TU-7K2M-9X0C-4V8D' }) // '1772355600000-TU-7K2M-9X0C-4V8D' */
const toCursor = ({ createdAt, orderId }: TopUpPosition): string => `${createdAt}-${orderId}`;

const cursorParam = z
  .string()
  .transform((text, context): TopUpPosition => {
    const [, createdAt, orderId = ''] = /^(\d{1,15})-([\w-]{6,64})$/.exec(text) ?? [];
    if (createdAt === undefined) context.addIssue(issueBecause(fieldProblem('not_a_cursor')));
    return { createdAt: Number(createdAt), orderId };
  })
  .meta({ title: '`next_cursor` of the previous page' });
