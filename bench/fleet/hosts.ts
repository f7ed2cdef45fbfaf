// A process with many scripted hosts.
import { eachOf, serve } from './child.js';
import { credentialOf } from './options.js';
import { openHost, type ScriptedHost } from './scripted-host.js';

const CONNECTED_AT_ONCE = 50;
/** As the agent does. */
const PING_EVERY_MS = 10_000;

let hosts: ScriptedHost[] = [];
/** How often a host has had to connect again, by the code of the end. */
const ends: Record<number, number> = {};
let received: [buildId: string, at: number][] = [];

interface Wanted {
  readonly urls: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly buildMs: number;
}

async function connect({ urls, from, to, buildMs }: Wanted): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  await eachOf(numbers, CONNECTED_AT_ONCE, async (number) => {
    const host = openHost({
      url: urls[number % urls.length] ?? '',
      credential: credentialOf(number),
      name: `mac-${number}`,
      buildMs,
      received: (buildId, at) => received.push([buildId, at]),
      reconnects(code) {
        ends[code] = (ends[code] ?? 0) + 1;
      },
    });
    hosts.push(host);
    await host.ready;
  });
  let turn = 0;
  const spread = 100;
  setInterval(() => {
    for (let i = turn; i < hosts.length; i += spread) hosts[i]?.ping();
    turn = (turn + 1) % spread;
  }, PING_EVERY_MS / spread);
}

serve({
  connect,
  /** What has been received since the last question. */
  received() {
    const all = received;
    received = [];
    return all;
  },
  ends: () => ends,
  close() {
    for (const host of hosts) host.close();
    hosts = [];
  },
});
