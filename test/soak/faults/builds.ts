// Builds that flow while something breaks, and what must be true of all of them afterwards.
import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Test } from 'tap';
import { platformFetch } from '../../../client/http/fetch-like.js';
import { type Client, createClient } from '../../../client/index.js';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import type { Received } from '../../harness/receiver.js';
import { until } from '../../harness/until.js';
import type { FakeBuild } from '../../hosts/fake-builds.js';
import { type Recorder, recordAnswers } from './answers.js';

const LINES = 12;
/** Between the end of a build and the next one of the same client. */
const LONGEST_PAUSE_MS = 3_000;
const ENDS = ['build.succeeded', 'build.failed', 'build.cancelled', 'build.expired'];

const lineOf = (n: number, line: number) => `build ${n} line ${line} ${'x'.repeat((n * 7 + line * 13) % 90)}`;
const linesOf = (n: number) => Array.from({ length: LINES }, (_, line) => lineOf(n, line));
const codeOf = (n: number) => (n % 5 === 4 ? (n % 3) + 3 : 0);
const printed = (n: number) => `${linesOf(n).join('\n')}\n`;
const scriptOf = (n: number) =>
  [`# build ${n}`, ...linesOf(n).map((line, i) => `echo '${line}'${i % 4 === 3 ? '; sleep 0.1' : ''}`)]
    .concat(`exit ${codeOf(n)}`)
    .join('\n');
const withoutServiceLines = (log: string) => log.replace(/^\[cidermill\] .*\n/gm, '');

/** What a scripted host does in place of the script. */
export async function runOnScriptedHost(build: FakeBuild): Promise<void> {
  const n = Number(/^# build (\d+)/.exec(build.spec.script)?.[1]);
  for (const [i, line] of linesOf(n).entries()) {
    build.output(`${line}\n`);
    if (i % 4 === 3) await pause(systemClock, 100);
  }
  await build.finish({ exit_code: codeOf(n) });
}

export interface BuildsOptions {
  /** Of the load balancer. */
  readonly url: string;
  readonly key: string;
  readonly uploadId: string;
  /** More are submitted until the test says that it is over. */
  readonly fewest: number;
  /** Each has one build at a time. */
  readonly clients: number;
}

export interface FlowingBuilds extends Recorder {
  readonly client: Client;
  /** How many have been accepted, and how many have ended as seen by their client. */
  counts(): { accepted: number; ended: number };
  /** Resolves when `more` further builds have been accepted. */
  accepted(more: number): Promise<void>;
  /** No more are submitted; resolves when all have ended. */
  over(): Promise<void>;
  /** Compares everything with what should have happened. */
  check(t: Test, database: string, received: readonly Received[]): Promise<void>;
}

/** Clients submit each build with a key (every third one twice at once), wait for its end, and follow every fourth log. */
export function startBuilds(t: Test, { url, key, uploadId, fewest, clients }: BuildsOptions): FlowingBuilds {
  // A test that has failed does not wait for them.
  const ending = new AbortController();
  const { signal } = ending;
  setMaxListeners(0, signal);
  t.teardown(() => ending.abort());
  const recorder = recordAnswers(platformFetch);
  const began = performance.now();
  const client = createClient({
    url: `${url}/api/v1`,
    key,
    fetch: recorder.fetch,
    retry: { attempts: 1_000, baseMs: 100, maxMs: 1_000 },
  });
  const ids: (string | undefined)[] = [];
  const wrong: string[] = [];
  let [next, accepted, ended] = [0, 0, 0];

  const submit = async (n: number): Promise<string> => {
    const body = { script: scriptOf(n), upload_id: uploadId };
    const once = () => client.builds.create(body, { idempotencyKey: `build-${n}`, signal });
    const made = await Promise.all(n % 3 === 0 ? [once(), once()] : [once()]);
    const [first, ...others] = new Set(made.map(({ id }) => id));
    if (others.length > 0) wrong.push(`build ${n} was made ${made.length} times`);
    return first as string;
  };
  const follow = async (n: number, id: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of client.builds.log.followBytes(id, { signal })) pieces.push(piece);
    const log = withoutServiceLines(Buffer.concat(pieces).toString());
    if (log !== printed(n)) wrong.push(`${id}: followed ${log.length} bytes instead of ${printed(n).length}`);
  };
  const one = async (n: number) => {
    const id = await submit(n);
    ids[n] = id;
    accepted++;
    const [build] = await Promise.all([
      client.builds.waitUntilEnded(id, { signal }),
      n % 4 === 0 ? follow(n, id) : null,
    ]);
    await client.builds.list({ limit: 20 }, { signal });
    ended++;
    if (build.exit_code !== codeOf(n)) {
      wrong.push(`${id}: ${build.status} ${build.exit_code} ${build.end_reason} instead of ${codeOf(n)}`);
    }
  };
  let enough = false;
  const work = async () => {
    while (!enough || next < fewest) {
      await one(next++);
      // As people and CI have it; otherwise the builds would be over before the faults.
      await pause(systemClock, LONGEST_PAUSE_MS * Math.random(), signal);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, work));
  // Who waits for it gets the error; until then it must not end the test's process.
  all.catch(() => undefined);
  /** Short requests all the time, as pages and scripts send them. */
  let watching = true;
  const watch = async () => {
    while (watching) {
      const id = ids.findLast((id) => id !== undefined);
      if (id !== undefined) await client.builds.get(id, { signal });
      await pause(systemClock, 100, signal);
    }
  };
  const watched = Promise.all([watch(), watch()]);
  watched.catch(() => undefined);

  return {
    ...recorder,
    begin(window) {
      t.comment(
        `${Math.round((performance.now() - began) / 1_000)} s, ${accepted} builds accepted, ${ended} ended: ${window}`,
      );
      recorder.begin(window);
    },
    client,
    counts: () => ({ accepted, ended }),
    async accepted(more) {
      const wanted = accepted + more;
      await Promise.race([all, until(() => accepted >= wanted, `${wanted} builds are accepted`)]);
    },
    async over() {
      enough = true;
      await all;
      watching = false;
      await watched;
    },
    async check(t, database, received) {
      const total = ids.length;
      t.equal(accepted, total);
      t.ok(total >= fewest, `${total} builds`);
      for (const [n, id] of ids.entries()) {
        const log = withoutServiceLines(await client.builds.log.text(id as string));
        if (log !== printed(n)) wrong.push(`${id}: a log of ${log.length} bytes instead of ${printed(n).length}`);
      }
      t.same(wrong, [], 'every build was made once, ended as its script does, and has its log');
      const db = new pg.Client(database);
      await db.connect();
      const { rows } = await db.query(
        `SELECT b.build_id AS id, (SELECT count(*)::int FROM events e WHERE e.subject_id = b.build_id
           AND e.event_type = ANY($1)) AS ends FROM builds b`,
        [ENDS],
      );
      await db.end();
      t.equal(rows.length, total, 'there are no other builds');
      t.same(
        rows.filter(({ ends }) => ends !== 1),
        [],
        'one event of the end each',
      );
      const events = () => {
        const seen = new Map<string, Set<string>>();
        for (const { body } of received) {
          if (!ENDS.includes(body.event_type)) continue;
          const id = String(body.build?.id);
          seen.set(id, (seen.get(id) ?? new Set()).add(body.event_id));
        }
        return seen;
      };
      await until(() => events().size === total, 'the receiver has heard of every end');
      t.same(
        [...events()].filter(([, one]) => one.size !== 1),
        [],
        'of the same event, however often it was sent',
      );
    },
  };
}
