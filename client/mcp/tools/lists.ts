import { z } from 'zod';
import { before, given } from '../inputs.js';
import { tool } from '../tool.js';
import { buildView, orderView } from '../views.js';

const limit = z.int().min(1).max(50).default(10);
const buildStatuses = ['queued', 'running', 'succeeded', 'failed', 'expired', 'cancelled', 'active'] as const;
const orderStatuses = ['awaiting_payment', 'paid', 'provisioning', 'ready', 'expired', 'canceled'] as const;

/** Paged lists of the account's builds and orders. */
export const listTools = [
  tool({
    name: 'builds',
    title: 'List builds',
    description: 'Builds of the account in pages, newest first.',
    input: {
      status: z.enum(buildStatuses).optional().describe('active: queued or running'),
      repo: z.string().optional().describe('exactly this repo or repo_url'),
      text: z.string().max(200).optional().describe('found in repo, project, ref, script or id'),
      before,
      limit,
    },
    answer: { builds: 'array', next_before: 'any' },
    effect: 'reads',
    does: ['listBuilds'],
    async run({ text, ...filter }, { client, signal }) {
      const page = await client.builds.list(given({ ...filter, q: text }), { signal });
      return { data: { builds: page.builds.map(buildView), next_before: page.next_before } };
    },
  }),
  tool({
    name: 'orders',
    title: 'List orders',
    description: 'Orders of the account, newest first; unpaid ones with the pay_url for a person.',
    input: { status: z.enum(orderStatuses).optional(), before, limit },
    answer: { orders: 'array', next_before: 'any' },
    effect: 'reads',
    does: ['listOrders'],
    async run(filter, { client, signal }) {
      const page = await client.orders.list(given(filter), { signal });
      return { data: { orders: page.orders.map(orderView), next_before: page.next_before } };
    },
  }),
];
