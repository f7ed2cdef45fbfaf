import { z } from 'zod';
import { pause } from '../../../shared/pause.js';
import { hasEnded } from '../../api/builds.js';
import { jobHasEnded } from '../../api/jobs.js';
import { isSettled } from '../../api/orders.js';
import { unreachable } from '../../cidermill-error.js';
import type { Build } from '../../types.js';
import { known } from '../inputs.js';
import { type ToolCall, tool } from '../tool.js';
import { InvalidInput } from '../tool-error.js';
import { cleanLine, marked } from '../untrusted.js';
import { failureView, jobView, orderView } from '../views.js';

/** MCP clients often time out after 60 s. */
const DEFAULT_WAIT_S = 55;
const LONGEST_WAIT_S = 600;
/** The longest wait of one request. */
const LONGEST_POLL_S = 60;
/** Time after the wait in which an answer must arrive. */
const GRACE_MS = 4_000;
/** How often progress is sent to a caller that wants it. */
const NEWS_EVERY_S = 5;
const JOB_LOOK_MS = 1_000;
/** Characters of the last line, which every answer contains. */
const LAST_LINE_CHARS = 60;
/** Bytes read to find it: a line may be as long as the log. */
const LAST_LINE_BYTES = 4096;

interface Look {
  ended: boolean;
  /** Answered besides `ended`, as short as it can be. */
  data: Record<string, unknown>;
  /** The same in words, without the log. */
  news: string;
  next?: string;
}

/** Waits up to `waitS` seconds (0: not at all) for the end, then says how it is. */
type Looker = (waitS: number) => Promise<Look>;

const lookers: Readonly<Record<string, (call: ToolCall, id: string) => Looker>> = {
  rb_: ({ client, signal, clock, progress }, id) => {
    let since = '0';
    return async (waitS) => {
      const until = clock.monotonic() + waitS * 1000;
      for (let left = waitS; left > 0; left = Math.ceil((until - clock.monotonic()) / 1000)) {
        const seen = await client.builds.waitForChange(id, since, { timeoutS: left, signal });
        since = seen?.version ?? since;
        // A caller that wants progress hears of every change.
        if (progress || (seen && hasEnded(seen))) break;
      }
      return buildLook(await client.builds.get(id, { signal }), clock.now());
    };
  },
  'RT-':
    ({ client, signal }, id) =>
    async (waitS) => {
      const order = await (waitS > 0
        ? client.orders.wait(id, { timeoutS: waitS, signal })
        : client.orders.get(id, { signal }));
      const next = order.status === 'awaiting_payment' ? 'A person has to open pay_url and pay.' : '';
      return { ended: isSettled(order), data: orderView(order), news: order.status, ...(next ? { next } : {}) };
    },
  op_:
    ({ client, signal, clock }, id) =>
    async (waitS) => {
      const until = clock.monotonic() + waitS * 1000;
      for (;;) {
        const job = await client.jobs.get(id, { signal });
        if (jobHasEnded(job) || clock.monotonic() + JOB_LOOK_MS > until) {
          const step = job.progress ? `: ${job.progress.step}` : '';
          return { ended: jobHasEnded(job), data: jobView(job), news: job.status + step };
        }
        await pause(clock, JOB_LOOK_MS, signal);
      }
    },
};

/** @param now ms since the epoch */
function buildLook(build: Build, now: number): Look {
  const { status, timings, failure } = build;
  if (status === 'queued') {
    const place = build.queue_position === null ? '' : `, place ${build.queue_position}`;
    const { queue_position, wait_reason, estimated_wait_s } = build;
    return {
      ended: false,
      data: { status, ...known({ queue_position, wait_reason, estimated_wait_s }) },
      news: `queued${place}${build.wait_reason ? ` (${build.wait_reason})` : ''}`,
    };
  }
  const run_s = timings.run_s === null ? null : Math.round(timings.run_s);
  if (!hasEnded(build)) {
    const { silent_s } = timings;
    const left_s = secondsUntil(timings.estimated_end_at, now);
    const silence = silent_s === null ? '' : `, silent ${silent_s} s`;
    const left = left_s === null ? '' : `, about ${left_s} s left`;
    return {
      ended: false,
      data: { status, ...known({ running_s: run_s, silent_s, left_s }) },
      news: `running ${run_s} s${silence}${left}`,
    };
  }
  const { exit_code, end_reason } = build;
  const why = failure && failureView(failure);
  const code = exit_code === null ? '' : `, exit code ${exit_code}`;
  return {
    ended: true,
    data: { status, ...known({ exit_code, end_reason, run_s, failure: why }) },
    news: `${status}${code}${failure ? `, ${failure.reason_code}, fault ${failure.fault}` : ''}`,
    next: status === 'failed' ? 'Call failure_summary.' : status === 'succeeded' ? 'Call artifacts for its files.' : '',
  };
}

/** Null if the time is unknown or has passed. */
function secondsUntil(at: string | null | undefined, now: number): number | null {
  const left = at ? Math.round((Date.parse(at) - now) / 1000) : 0;
  return left > 0 ? left : null;
}

export const waitTool = tool({
  name: 'wait',
  title: 'Wait',
  description:
    'Waits until a build (rb_…), order (RT-…) or job (op_…) ends; of a running build answers how long it runs and is silent, its estimated time left and last line. ended false: call again. An order ends when its Macs are ready, or nobody paid.',
  input: {
    id: z.string(),
    seconds: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_S)
      .default(DEFAULT_WAIT_S)
      .describe('more only if your client allows calls that long; 0: at once'),
  },
  answer: { ended: 'boolean', status: 'string', next: 'string' },
  effect: 'reads',
  does: ['getBuild', 'waitForBuild', 'getJob', 'getOrder', 'waitForOrder'],
  openWorld: true,
  async run({ id, seconds }, call) {
    const lookerOf = lookers[id.slice(0, 3)];
    if (!lookerOf) throw new InvalidInput(`${id} is not the id of a build (rb_…), order (RT-…) or job (op_…)`);
    return withDeadline(call, seconds * 1000 + GRACE_MS, async (timed) => {
      const look = lookerOf(timed, id);
      const begun = call.clock.monotonic();
      const elapsed = () => Math.round((call.clock.monotonic() - begun) / 1000);
      for (;;) {
        const left = Math.min(seconds - elapsed(), LONGEST_POLL_S);
        const seen = await look(call.progress ? Math.min(left, NEWS_EVERY_S) : left);
        call.progress?.(elapsed(), seconds, `${id} ${seen.news}`);
        if (seen.ended || elapsed() >= seconds) return answer(timed, id, seen);
      }
    });
  },
});

async function answer(call: ToolCall, id: string, { ended, data, news, next }: Look) {
  const common = { ended, ...data, ...(next ? { next } : {}) };
  const rest = next ? `\n${next}` : '';
  if (data.status !== 'running' || !id.startsWith('rb_')) {
    // Orders and failures have too many fields for a sentence.
    return { data: common, text: JSON.stringify(common) };
  }
  const last_line = cleanLine(await lastLine(call, id), LAST_LINE_CHARS);
  if (last_line === '') return { data: common, text: `${news}${rest}` };
  return { data: { ...common, last_line }, text: `${news}${rest}\n${marked('log', [last_line])}` };
}

/** The beginning of the log's last line; empty while nothing is printed. */
async function lastLine({ client, signal }: ToolCall, id: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of client.builds.log.stream(id, { tail: 1, signal })) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= LAST_LINE_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, LAST_LINE_BYTES).toString('utf8');
}

/** Stops waiting for a service that does not answer when the call's time has passed. */
async function withDeadline<T>(call: ToolCall, ms: number, work: (timed: ToolCall) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = call.clock.setTimeout(() => over.abort(unreachable('the service did not answer in time')), ms);
  try {
    return await work({ ...call, signal: AbortSignal.any([call.signal, over.signal]) });
  } finally {
    timer.cancel();
  }
}
