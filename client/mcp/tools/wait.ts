import { z } from 'zod';
import { hasEnded } from '../../api/builds.js';
import { jobHasEnded } from '../../api/jobs.js';
import { isSettled } from '../../api/orders.js';
import { unreachable } from '../../cidermill-error.js';
import { sleep } from '../../http/retry.js';
import { type ToolCall, tool } from '../tool.js';
import { InvalidInput } from '../tool-error.js';
import { buildShape, buildView, jobShape, orderShape } from '../views.js';

/** Clients of this protocol often give up after 60 s; a call is over well before. */
const LONGEST_WAIT_S = 40;
/** What is given to an answer that is late. */
const GRACE_MS = 4_000;
/** How often news is sent to a caller that wants it. */
const NEWS_EVERY_S = 5;
const JOB_LOOK_MS = 1_000;

interface Look {
  ended: boolean;
  data: Record<string, unknown>;
  news: string;
}

/** Looks once, and for up to `waitS` seconds (0: not at all) waits for the end. */
type Looker = (call: ToolCall, id: string, waitS: number) => Promise<Look>;

const lookers: Readonly<Record<string, Looker>> = {
  rb_: async ({ client, signal }, id, waitS) => {
    const build = await (waitS > 0
      ? client.builds.wait(id, { timeoutS: waitS, signal })
      : client.builds.get(id, { signal }));
    const place = build.queue_position === null ? '' : `, place ${build.queue_position} in the queue`;
    return { ended: hasEnded(build), data: { build: buildView(build) }, news: build.status + place };
  },
  'RT-': async ({ client, signal }, id, waitS) => {
    const order = await (waitS > 0
      ? client.orders.wait(id, { timeoutS: waitS, signal })
      : client.orders.get(id, { signal }));
    return { ended: isSettled(order), data: { order: { ...order } }, news: order.status };
  },
  op_: async ({ client, signal, clock }, id, waitS) => {
    const until = clock.now() + waitS * 1000;
    for (;;) {
      const job = await client.jobs.get(id, { signal });
      if (jobHasEnded(job) || clock.now() + JOB_LOOK_MS > until) {
        const step = job.progress ? `: ${job.progress.step}` : '';
        return { ended: jobHasEnded(job), data: { job: { ...job } }, news: job.status + step };
      }
      await sleep(JOB_LOOK_MS, clock, signal);
    }
  },
};

export const waitTool = tool({
  name: 'wait',
  title: 'Wait for a build, an order or a job',
  description: `Waits until a build (rb_…), an order (RT-…) or a job (op_…) has ended, for at most ${LONGEST_WAIT_S} seconds a call, and answers it as it is then. ended false: call it again. An order ends when its Macs are ready, or when nobody paid in time. A build that failed: failure_summary.`,
  input: {
    id: z.string().describe('id of the build, order or job'),
    seconds: z.int().min(0).max(LONGEST_WAIT_S).default(30).describe('0 only looks'),
  },
  output: {
    id: z.string(),
    ended: z.boolean(),
    waited_s: z.number(),
    build: buildShape.optional(),
    order: orderShape.optional(),
    job: jobShape.optional(),
    next: z.string().describe('the call to make now'),
  },
  effect: 'reads',
  async run({ id, seconds }, call) {
    const look = lookers[id.slice(0, 3)];
    if (!look) throw new InvalidInput(`${id} is the id of no build (rb_…), order (RT-…) or job (op_…)`);
    return withDeadline(call, seconds * 1000 + GRACE_MS, async (timed) => {
      const begun = call.clock.now();
      const elapsed = () => Math.round((call.clock.now() - begun) / 1000);
      for (;;) {
        const left = seconds - elapsed();
        const { ended, data, news } = await look(
          timed,
          id,
          call.progress ? Math.min(left, NEWS_EVERY_S) : left,
        );
        call.progress?.(elapsed(), seconds, `${id} ${news}`);
        if (ended || elapsed() >= seconds) {
          return { data: { id, ended, waited_s: elapsed(), ...data, next: nextCall(id, ended, news) } };
        }
      }
    });
  },
});

/** A service that has fallen silent is not waited for longer than the call may take. */
async function withDeadline<T>(
  call: ToolCall,
  ms: number,
  work: (timed: ToolCall) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = call.clock.setTimeout(
    () => over.abort(unreachable('the service did not answer in time')),
    ms,
  );
  try {
    return await work({ ...call, signal: AbortSignal.any([call.signal, over.signal]) });
  } finally {
    timer.cancel();
  }
}

function nextCall(id: string, ended: boolean, news: string): string {
  if (!ended && news === 'awaiting_payment')
    return 'A person has to open pay_url and pay; then call wait again.';
  if (!ended) return 'Call wait again.';
  if (news === 'failed' && id.startsWith('rb_')) return 'Call failure_summary.';
  return news === 'succeeded' ? 'Call artifacts for the files it left.' : 'Call status.';
}
