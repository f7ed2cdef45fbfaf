// Protocol skew of one version, both ways: frames recorded from the version before are played to the other side of today.
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer, WebSocket as WsClient } from 'ws';
import type { AgentMessage, BuildResult, ControlMessage, ImageFact, MacFact } from '../../shared/protocol/index.js';
import { decodeOutput } from '../../shared/protocol/index.js';
import { startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';
import { spooledBuilds } from '../host-agent/daemon/spooled-builds.js';
import { createTestAgent, memoryDriver } from '../host-agent/daemon/test-agent.js';
import { type Frame, readFrames } from './recorded/frames.js';

const folder = fileURLToPath(new URL('../../../test/hosts/recorded/', import.meta.url));
const recordings = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
t.ok(recordings.length > 0);

type Of<M extends { type: string }, T extends M['type']> = Extract<M, { type: T }>;
const controlOf = <T extends ControlMessage['type']>(frames: readonly Frame[], type: T) =>
  frames.flatMap(({ from, json }) =>
    from === 'control plane' && json?.type === type ? [json as unknown as Of<ControlMessage, T>] : [],
  );
const agentOf = <T extends AgentMessage['type']>(frames: readonly Frame[], type: T) =>
  frames.flatMap(({ from, json }) =>
    from === 'agent' && json?.type === type ? [json as unknown as Of<AgentMessage, T>] : [],
  );

for (const name of recordings) {
  const frames = readFrames(folder + name);

  t.test(`${name}: the agent's frames, played to the control plane of today`, async (t) => {
    const service = await startLinkService(t);
    const { hostId, credential } = await service.enrol();
    const host = await playAgent({ service, hostId, credential }, frames);
    for (const { build_id, result } of agentOf(frames, 'build_finished')) {
      t.same((await service.builds.finishedOnce(build_id)).outcome, result.outcome, build_id);
      t.same(service.builds.log(build_id), recordedLog(frames, build_id), `the log of ${build_id}`);
    }
    t.same(
      agentOf(frames, 'build_finished')
        .map(({ result }) => result.outcome)
        .sort(),
      ['exited', 'exited', 'stopped'],
    );
    const facts = agentOf(frames, 'facts');
    const macs = facts.filter((message) => message.macs.length > 0).at(-1)?.macs;
    await until(() => contains(service.builds.macFactsOf.get(hostId), macs), 'the last report about the Mac');
    const images = [...facts, ...agentOf(frames, 'hello')].filter((message) => message.images);
    t.same(service.builds.imageFactsOf.get(hostId), images.at(-1)?.images);
    const { inventory, agent_version: agentVersion } = agentOf(frames, 'hello')[0]!;
    t.match(await service.hosts.get(hostId), { connected: true, agentVersion, inventory });
    t.same(host.closed, [], 'the control plane never closed the link');
    host.close();
  });

  t.test(`${name}: the control plane's frames, played to the agent of today`, async (t) => {
    const plane = await playControlPlane(t, frames);
    const started = controlOf(frames, 'desire').flatMap(({ builds }) => builds.filter(({ spec }) => spec));
    const ids = [...new Set(started.map(({ build_id }) => build_id))];
    t.same([...new Set(plane.agent.builds.starts)], ids);
    t.match(
      ids.map((id) => plane.finished.get(id)),
      agentOf(frames, 'build_finished').map(({ result: { outcome, stop_reason } }) => ({
        outcome,
        stop_reason,
      })),
    );
    const macs = controlOf(frames, 'desire').at(-1)?.macs ?? [];
    for (const { slot_id, generation, revision } of macs) {
      t.match(plane.agent.driver.slots.get(slot_id), { generation, revision });
    }
    t.same(
      plane.agent.driver.calls.filter((call) => /^(create|remove)/.test(call)),
      ['create', 'remove', 'create'].map((call) => `${call} ${macs[0]?.slot_id}`),
      'the reset made it anew',
    );
    t.same(plane.agent.driver.wantedImages, controlOf(frames, 'desire').at(-1)?.images);
    t.same(plane.closed, [], 'the agent never closed the link');
    t.same(plane.late, [], 'no log is sent again once it is acknowledged');
  });
}

function recordedLog(frames: readonly Frame[], buildId: string): Buffer {
  let log = Buffer.alloc(0);
  for (const { bytes } of frames) {
    if (bytes === undefined) continue;
    const { header, data } = decodeOutput(Buffer.from(bytes, 'base64'));
    if (header.build_id === buildId) log = Buffer.concat([log.subarray(0, header.offset), data]);
  }
  return log;
}

interface Played {
  readonly service: Awaited<ReturnType<typeof startLinkService>>;
  readonly hostId: string;
  readonly credential: string;
}

/** Sends what the agent sent, and waits for every answer that it got then. */
async function playAgent({ service, hostId, credential }: Played, frames: readonly Frame[]) {
  let socket: WebSocket | null = null;
  let received: ControlMessage[] = [];
  const ack = agentOf(frames, 'desire_ack')[0];
  const closed: string[] = [];
  const connect = async () => {
    const before = socket;
    received = [];
    const ws = new WsClient(`${service.siteUrl.replace('http', 'ws')}/link`, {
      headers: { authorization: `Bearer ${credential}` },
    });
    socket = ws;
    ws.on('message', (data) => {
      const message = JSON.parse(`${data}`) as ControlMessage;
      received.push(message);
      // The same desires may come in other steps than then, each of which is acknowledged.
      if (message.type === 'desire') ws.send(JSON.stringify({ ...ack, sequence: message.sequence }));
    });
    ws.on('close', (code, reason) => {
      if (socket === ws) closed.push(`${code} ${reason}`);
    });
    await new Promise((resolve) => ws.once('open', resolve));
    before?.terminate();
  };
  const desire = (wanted: Of<ControlMessage, 'desire'>) => {
    service.builds.macs = wanted.macs;
    service.builds.images = wanted.images;
    for (const build of wanted.builds) {
      if (build.spec) service.builds.assign(hostId, build.spec, build.secrets ?? []);
      if (build.want === 'stop') service.builds.cancel(build.build_id);
    }
    service.wake.wake('host', hostId);
  };
  const answered = (wanted: Record<string, unknown>) => {
    const { sequence: _sequence, now: _now, host_id: _host, ...same } = wanted;
    return received.some((message) => contains(message, same));
  };
  for (const { from, json, bytes } of frames) {
    if (from === 'control plane') {
      if (json?.type === 'desire') desire(json as unknown as Of<ControlMessage, 'desire'>);
      await until(() => answered(json ?? {}), `the answer ${JSON.stringify(json)}`);
      continue;
    }
    if (json?.type === 'hello') await connect();
    if (json?.type === 'desire_ack') continue;
    if (json) socket!.send(JSON.stringify(json));
    else socket!.send(Buffer.from(bytes ?? '', 'base64'));
  }
  return { closed, close: () => socket?.terminate() };
}

/** Whether `value` has everything that `part` has; it may have more. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part;
  if (Array.isArray(part) && (!Array.isArray(value) || value.length !== part.length)) return false;
  return Object.entries(part).every(([key, one]) => contains((value as Record<string, unknown>)?.[key], one));
}

/** Sends what the control plane sent when the agent has come as far as then. Output is acknowledged as it comes. */
async function playControlPlane(t: Test, frames: readonly Frame[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  const finished = new Map<string, BuildResult>();
  const closed: number[] = [];
  /** Builds whose log was sent after their end was acknowledged. */
  const late: string[] = [];
  let said: AgentMessage[] = [];
  let hellos = 0;
  let acknowledgments = 0;
  let socket: WebSocket | null = null;
  const send = (message: object) => socket?.send(JSON.stringify(message));
  const outputAck = controlOf(frames, 'output_ack')[0]!;
  const finishedAck = controlOf(frames, 'finished_ack')[0]!;
  server.on('connection', (ws) => {
    socket = ws;
    said = [];
    ws.on('close', (code) => {
      if (code !== 1006) closed.push(code);
    });
    ws.on('message', (data: Buffer, binary) => {
      if (binary) {
        const { header, data: output } = decodeOutput(data);
        const { build_id, attempt, offset } = header;
        if (finished.has(build_id)) late.push(build_id);
        return send({ ...outputAck, build_id, attempt, next_offset: offset + output.length });
      }
      const message = JSON.parse(`${data}`) as AgentMessage;
      said.push(message);
      if (message.type === 'hello') hellos++;
      if (message.type === 'desire_ack') acknowledgments++;
      if (message.type !== 'build_finished') return;
      const { build_id, attempt, result } = message;
      finished.set(build_id, result);
      send({ ...finishedAck, build_id, attempt });
    });
  });
  const reconnections = { until: 1 };
  const driver = memoryDriver();
  const { port } = server.address() as AddressInfo;
  const dir = t.testdir();
  const kept = spooledBuilds(join(dir, 'builds'), async (build) => {
    await build.output('said\n');
    if (/sleep 60/.test(build.spec.script)) return;
    // The last build goes on while the link is down.
    if (/sleep/.test(build.spec.script)) await until(() => hellos > reconnections.until, 'the link is up again');
    build.finish();
  });
  const agent = createTestAgent({
    dir,
    driver,
    address: { siteUrl: `http://127.0.0.1:${port}`, credential: 'x' },
    builds: {
      ...kept,
      open(events) {
        const supervisor = kept.open(events);
        return {
          ...supervisor,
          // Slower than the next desire.
          async forget(ref) {
            const before = acknowledgments;
            await until(() => acknowledgments > before, 'the next desire');
            await supervisor.forget(ref);
          },
        };
      },
    },
  });
  await agent.daemon.start();
  t.teardown(async () => {
    await agent.daemon.stop();
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const reached = (frame: Frame): boolean => {
    const { json } = frame;
    if (json?.type === 'desire_ack') return said.some((one) => contains(one, json));
    if (json?.type === 'build_finished') return finished.has(String(json.build_id));
    const macs = (json?.type === 'facts' ? (json.macs as MacFact[]) : []).filter(({ state }) => state === 'ready');
    return macs.every(({ slot_id, generation }) =>
      said.some(
        (one) =>
          'macs' in one &&
          contains(
            one.macs.find((mac) => mac.slot_id === slot_id),
            { generation, state: 'ready' },
          ),
      ),
    );
  };
  let connections = 0;
  for (const frame of frames) {
    const { from, json } = frame;
    if (from === 'agent') {
      if (json?.images) driver.images = json.images as ImageFact[];
      if (json?.type === 'hello' && ++connections > 1) {
        socket!.terminate();
      }
      await until(
        () => (json?.type === 'hello' ? hellos >= connections : reached(frame)),
        JSON.stringify(json),
        10_000,
      );
    } else if (json && json.type !== 'output_ack' && json.type !== 'finished_ack') send(json);
    else if (json?.resend === true) send({ ...json, next_offset: 0 });
  }
  return { agent, finished, closed, late };
}
