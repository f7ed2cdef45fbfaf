import { z } from 'zod';
import { tool } from '../tool.js';
import { buildView, listedBuildShape, macShape } from '../views.js';

/** An answer holds no more of each; the counts tell the rest. */
const MOST_MACS = 50;
const MOST_BUILDS = 20;

/** What the account has, and what it could have. */
export const accountTools = [
  tool({
    name: 'status',
    title: 'Account, Macs, queue, last builds',
    description:
      'Where things stand: what this key may do, the rented Macs with their state and time left, running and waiting builds, the last ten builds, and advice (for example that a Mac runs out). Begin here.',
    input: {},
    output: {
      account: z.looseObject({ name: z.string().nullable(), status: z.string() }),
      levels: z.array(z.string()).describe('read, build, manage: what the key may do'),
      limits: z.looseObject({}),
      macs: z.array(macShape),
      mac_count: z.number().describe(`of macs the first ${MOST_MACS} are shown`),
      advice: z.array(z.looseObject({ kind: z.string() })),
      queue: z.looseObject({ running: z.array(listedBuildShape), queued: z.array(listedBuildShape) }),
      last_builds: z.array(listedBuildShape),
    },
    effect: 'reads',
    async run(_, { client, signal }) {
      const [me, status] = await Promise.all([client.me({ signal }), client.status({ signal })]);
      const { running_count, queued_count, running, queued } = status.queue;
      return {
        data: {
          account: status.account,
          levels: me.key.levels,
          limits: me.limits,
          macs: status.macs.slice(0, MOST_MACS),
          mac_count: status.macs.length,
          advice: status.advice.slice(0, MOST_MACS),
          queue: {
            running_count,
            queued_count,
            running: running.slice(0, MOST_BUILDS).map(buildView),
            queued: queued.slice(0, MOST_BUILDS).map(buildView),
          },
          last_builds: status.last_builds.map(buildView),
        },
      };
    },
  }),
  tool({
    name: 'catalog',
    title: 'What can be rented',
    description:
      'The tiers of Macs: price of 24 hours in won (VAT included), hardware, selectable Xcode versions, how many are free now, and whether they are sold now. None free: join_waitlist.',
    input: {},
    output: {
      tiers: z.array(
        z.looseObject({
          tier: z.string(),
          price_won: z.number(),
          xcode_versions: z.array(z.string()),
          available_now: z.number(),
          sales_open: z.boolean(),
        }),
      ),
    },
    effect: 'reads',
    run: async (_, { client, signal }) => ({ data: { ...(await client.catalog({ signal })) } }),
  }),
  tool({
    name: 'secrets',
    title: 'Names of build secrets',
    description:
      'Names of the secrets that every build gets as environment variables. Values cannot be read, here or anywhere. A person sets one with `cidermill secrets set NAME`, so that it does not pass through a conversation.',
    input: {},
    output: { secrets: z.array(z.looseObject({ name: z.string(), updated_at: z.string() })) },
    effect: 'reads',
    async run(_, { client, signal }) {
      const { secrets } = await client.secrets.list({ signal });
      return { data: { secrets: secrets.map(({ name, updated_at }) => ({ name, updated_at })) } };
    },
  }),
];
