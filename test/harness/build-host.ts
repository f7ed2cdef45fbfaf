// A host in this process: calls the use cases as the link does, and runs nothing.
import { putTier } from '../../control-plane/macs/store/tiers.js';
import type { BuildResult } from '../../shared/build.js';
import {
  type BuildFact,
  type DesiredBuild,
  type DesiredMac,
  type MacFact,
  PROTOCOL_VERSION,
} from '../../shared/protocol/index.js';
import { readyFact } from './desired-mac.js';
import type { Harness } from './harness.js';
import { plainResult } from './plain-result.js';
import { m4, machine } from './samples.js';

export interface BuildHost {
  readonly hostId: string;
  /** Credential for the real link. */
  readonly credential: string;
  /** The Macs' rentals, ready when the helper returns. */
  readonly rentals: readonly string[];
  /** Returns the desired builds, as the link would send them. */
  desired(): Promise<DesiredBuild[]>;
  /** Reports every desired build as running; returns their ids. */
  start(): Promise<string[]>;
  /** Sends output of the current attempt; returns the next offset expected. `service`: its lines are the service's. */
  output(buildId: string, text: string | Buffer, service?: 'service'): Promise<number>;
  /** Reports the end of the current attempt. Default for log length and hash: those of the sent output. */
  finish(buildId: string, result?: Partial<BuildResult>): Promise<number | null>;
  facts(...facts: (Partial<BuildFact> & { build_id: string })[]): Promise<void>;
  /** Reports the Mac's state from the host. */
  mac(rentalId: string, state: 'ready' | 'preparing' | 'empty' | 'failed', more?: Partial<MacFact>): Promise<void>;
  /** Returns the desired Macs of the host. */
  macs(): Promise<DesiredMac[]>;
  /** Versions of Xcode that the host reports when it connects. */
  installed: readonly string[];
  /** The version of the link that the host speaks when it connects. */
  protocol: number;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface MacsWanted {
  readonly macs: number;
  readonly tier?: string;
  readonly xcodes?: readonly string[];
  /** Versions that the host reports. Default: those of the tier. */
  readonly hostXcodes?: readonly string[];
  readonly runtimes?: readonly string[];
  readonly tools?: readonly string[];
  readonly hours?: number;
  readonly accountId?: number;
  /** Default: true. False: the Macs stay in `preparing` until `mac()` reports another state. */
  readonly ready?: boolean;
}

const installed = (versions: readonly string[]) =>
  versions.map((version) => ({ version, build: null, developer_dir: `/Applications/Xcode-${version}.app` }));

/** Enrols a host with the given number of slots, rents all of them, and reports the Macs as ready. */
export async function startBuildHost(h: Harness, wanted: MacsWanted): Promise<BuildHost> {
  const { runs, hosts, store, clock, workers } = h;
  const { tier = 'm4', xcodes = ['16.2', '16.1'], hours = 720, accountId = h.org.id, ready = true } = wanted;
  await store.transaction((tx) =>
    putTier(
      tx,
      {
        ...m4,
        tier,
        name: tier,
        xcodeVersions: xcodes,
        defaultXcode: xcodes[0] ?? null,
        runtimes: wanted.runtimes ?? [],
        tools: wanted.tools ?? [],
      },
      clock.now(),
    ),
  );
  const { token } = await hosts.createEnrolment({ tier, slots: wanted.macs });
  const { host_id: hostId, credential } = await hosts.enrol({ token, hostname: 'test-mac' });
  let connection: number | null = null;
  const logs = new Map<string, Buffer[]>();

  const present = async (buildId: string) => {
    const found = (await self.desired()).find((build) => build.build_id === buildId);
    if (!found) throw new Error(`the host has no build ${buildId}`);
    return found;
  };
  const written = (build: DesiredBuild) => {
    const name = `${build.build_id}/${build.attempt}`;
    const pieces = logs.get(name) ?? [];
    logs.set(name, pieces);
    return pieces;
  };
  const macFact = async (rentalId: string) => {
    const mac = (await h.macs.desiredMacs(hostId)).find((m) => m.rental_id === rentalId);
    if (!mac) throw new Error(`the host has no Mac ${rentalId}`);
    return readyFact(mac);
  };

  const self: BuildHost = {
    hostId,
    credential: credential ?? '',
    rentals: [],
    installed: wanted.hostXcodes ?? xcodes,
    protocol: PROTOCOL_VERSION,
    desired: () => runs.desiredBuilds(hostId),
    async start() {
      await workers.idle();
      const ids = (await self.desired()).filter((b) => b.spec !== null).map((b) => b.build_id);
      await self.facts(...ids.map((build_id) => ({ build_id })));
      return ids;
    },
    async output(buildId, text, service) {
      const build = await present(buildId);
      const pieces = written(build);
      const offset = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const data = Buffer.from(text);
      pieces.push(data);
      const marked: [number, number][] = service ? [[offset, offset + data.length]] : [];
      const header = { build_id: buildId, attempt: build.attempt, offset, service: marked };
      const { nextOffset } = await runs.output(hostId, header, data);
      // Waits until the time of the output is stored, since transactions run sequentially.
      await store.transaction(async () => {});
      return nextOffset;
    },
    async finish(buildId, result = {}) {
      const build = await present(buildId);
      const log = Buffer.concat(written(build));
      const { resendFrom } = await runs.finished(hostId, {
        build_id: buildId,
        attempt: build.attempt,
        result: plainResult({ ended_at: clock.now(), ...result }, log),
      });
      await workers.idle();
      return resendFrom;
    },
    async facts(...facts) {
      const desired = await self.desired();
      const attempt = (id: string) => desired.find((build) => build.build_id === id)?.attempt ?? 1;
      await runs.facts(
        hostId,
        facts.map((fact) => ({
          attempt: attempt(fact.build_id),
          state: 'running' as const,
          log_bytes: 0,
          last_output_at: null,
          ...fact,
        })),
      );
      await workers.idle();
    },
    macs: () => h.macs.desiredMacs(hostId),
    async mac(rentalId, state, more = {}) {
      await h.macs.macFacts(hostId, [{ ...(await macFact(rentalId)), state, ...more }]);
      await workers.idle();
    },
    async connect() {
      const state = { inventory: { ...machine, xcodes: installed(self.installed) }, draining: false };
      connection = await hosts.connect(hostId, { ...state, agentVersion: '0.1.0', protocol: self.protocol });
      await workers.idle();
    },
    async disconnect() {
      if (connection !== null) await hosts.disconnect(hostId, connection);
      await workers.idle();
    },
  };
  await self.connect();
  const rentals: string[] = [];
  for (const slot of await hosts.slots(hostId)) {
    const rental = { accountId, slotId: slot.slotId, tier, xcode: xcodes[0] ?? null, hours };
    rentals.push(await h.rentals.create(rental));
    // Gives each rental its own time, so that their order is that of their creation.
    await clock.advance(1);
  }
  if (ready) for (const rentalId of rentals) await self.mac(rentalId, 'ready');
  return Object.assign(self, { rentals });
}

/** Returns the events of a build, oldest first. */
export async function eventsOf(h: Harness, buildId: string): Promise<BuildEventPayload[]> {
  const rows = await h.store.all<{ payload: string }>(
    'SELECT payload FROM events WHERE build_id = :buildId ORDER BY sequence',
    { buildId },
  );
  return rows.map((row) => JSON.parse(row.payload) as BuildEventPayload);
}

/** The parts of an event's payload that tests look at. */
export interface BuildEventPayload {
  event_id: string;
  event_type: string;
  sequence: number;
  occurred_at: string;
  build: Record<string, unknown> & { status: string };
  stall: Record<string, unknown> | null;
}
