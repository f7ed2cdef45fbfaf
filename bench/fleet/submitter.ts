// A process that submits builds at a fixed rate and reads between them. A request that is late because the ones before it were slow counts
// from when it was planned.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { machineMs, serve } from './child.js';

interface Work {
  readonly urls: readonly string[];
  readonly keys: readonly string[];
  /** Null: `inFlight` requests at a time, one after the other. */
  readonly rate: number | null;
  readonly reads: number;
  readonly seconds: number;
}

export interface Submitted {
  /** Id of the build, when the request was planned, when it was answered. */
  readonly builds: readonly (readonly [buildId: string, planned: number, accepted: number])[];
  /** Durations of reads by name, ms. */
  readonly reads: Readonly<Record<string, readonly number[]>>;
  readonly problems: readonly string[];
}

const IN_FLIGHT = 32;
const agent = new Agent({ connections: 64, pipelining: 1 });

async function call(url: string, key: string, path: string, body?: object): Promise<{ id: string }> {
  const answer = await request(`${url}/api/v1${path}`, {
    dispatcher: agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as { id: string };
}

/** Calls `work` with the number of each event and when it is planned. */
async function atRate(rate: number, seconds: number, work: (number: number, planned: number) => Promise<void>) {
  const begin = machineMs();
  const under: Promise<void>[] = [];
  for (let number = 0; number < rate * seconds; number++) {
    const planned = begin + (number * 1_000) / rate;
    const wait = planned - machineMs();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(work(number, planned));
  }
  await Promise.all(under);
}

async function submit({ urls, keys, rate, reads: readRate, seconds }: Work): Promise<Submitted> {
  const builds: [string, number, number][] = [];
  const problems: string[] = [];
  const reads: Record<string, number[]> = {};
  const at = <T>(list: readonly T[], number: number) => list[number % list.length] as T;
  const one = async (number: number, planned: number) => {
    try {
      const body = { script: 'make test', repo_url: 'https://github.com/example/app' };
      const { id } = await call(at(urls, number), at(keys, number), '/builds', body);
      builds.push([id, planned, machineMs()]);
    } catch (error) {
      problems.push(String(error));
    }
  };
  const read = async (number: number, planned: number) => {
    const paths = ['/builds?limit=20', '/rentals', '/status'];
    const path = at(paths, number);
    try {
      await call(at(urls, number), at(keys, number), path);
      const durations = reads[path] ?? [];
      reads[path] = durations;
      durations.push(machineMs() - planned);
    } catch (error) {
      problems.push(String(error));
    }
  };
  const reading = readRate > 0 ? atRate(readRate, seconds, read) : Promise.resolve();
  if (rate !== null) await atRate(rate, seconds, one);
  else {
    const until = machineMs() + seconds * 1_000;
    let number = 0;
    const again = async () => {
      while (machineMs() < until) await one(number++, machineMs());
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, again));
  }
  await reading;
  return { builds, reads, problems };
}

serve({
  submit,
  /** Submits a build that stays on its host, to each of the keys; returns the ids. */
  hold: ({ urls, keys, script }: { urls: string[]; keys: string[]; script: string }) =>
    Promise.all(
      keys.map(async (key) => {
        const body = { script, repo_url: 'https://github.com/example/app', timeout_min: 360 };
        return (await call(urls[0] ?? '', key, '/builds', body)).id;
      }),
    ),
  /** Registers a webhook of an account. */
  async register({ urls, webhooks }: { urls: string[]; webhooks: { key: string; url: string }[] }) {
    for (const { key, url } of webhooks) {
      const events = ['build.started', 'build.succeeded'];
      await call(urls[0] ?? '', key, '/webhooks', { url, events });
    }
  },
});
