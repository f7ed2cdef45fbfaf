import { known } from '../inputs.js';
import { tool } from '../tool.js';
import { buildView } from '../views.js';

/** Maximum number of each in one answer; the counts include the rest. */
const MOST_MACS = 50;
const MOST_BUILDS = 20;
const MOST_LAST_BUILDS = 5;

/** Status, catalog and secrets of the account. */
export const accountTools = [
  tool({
    name: 'status',
    title: 'Account, Macs, builds',
    description:
      'Begin here: what this key may do, Macs with state and time left, running and waiting builds, the last builds, advice.',
    input: {},
    answer: {
      account: 'object',
      levels: 'array',
      limits: 'object',
      usage: 'object',
      macs: 'array',
      mac_count: 'number',
      advice: 'array',
      queue: 'object',
      last_builds: 'array',
    },
    effect: 'reads',
    does: ['getStatus', 'getQueue', 'getMe', 'listRentals'],
    async run(_, { client, signal }) {
      const [me, status] = await Promise.all([client.me({ signal }), client.status({ signal })]);
      const { running_count, queued_count, running, queued } = status.queue;
      return {
        data: {
          account: status.account,
          levels: me.key.levels,
          limits: me.limits,
          // Older services do not report it.
          usage: me.usage ?? {},
          macs: status.macs.slice(0, MOST_MACS).map((mac) => known({ ...mac })),
          mac_count: status.macs.length,
          advice: status.advice.slice(0, MOST_MACS),
          queue: {
            running_count,
            queued_count,
            running: running.slice(0, MOST_BUILDS).map(buildView),
            queued: queued.slice(0, MOST_BUILDS).map(buildView),
          },
          last_builds: status.last_builds.slice(0, MOST_LAST_BUILDS).map(buildView),
        },
      };
    },
  }),
  tool({
    name: 'catalog',
    title: 'Tiers and prices',
    description: 'Tiers of Macs: price of 24 hours in won (VAT included), hardware, Xcode versions, how many are free.',
    input: {},
    answer: { tiers: 'array' },
    effect: 'reads',
    does: ['getCatalog'],
    run: async (_, { client, signal }) => ({ data: { ...(await client.catalog({ signal })) } }),
  }),
  tool({
    name: 'secrets',
    title: 'Names of secrets',
    description:
      'Names of secrets, variables of every build (kind file: path of a file); values cannot be read. A person sets one with `cidermill secrets set NAME`, outside the conversation.',
    input: {},
    answer: { secrets: 'array' },
    effect: 'reads',
    does: ['listSecrets'],
    async run(_, { client, signal }) {
      const { secrets } = await client.secrets.list({ signal });
      return {
        data: {
          secrets: secrets.map(({ name, kind, readable, updated_at }) => known({ name, kind, readable, updated_at })),
        },
      };
    },
  }),
];
