// A host agent and the control-plane end of the link, over sockets that fail as networks do.
import type { Test } from 'tap';
import type { LinkLimits } from '../../../host-agent/limits.js';
import type { Clock } from '../../../shared/clock.js';
import { type LinkServiceOptions, startLinkService } from '../../harness/link-service.js';
import type { SpooledBuild, SpooledBuilds } from './spooled-builds.js';
import { startTcpProxy } from './tcp-proxy.js';
import { createTestAgent, type MemoryDriver } from './test-agent.js';

export interface AgentOptions {
  run?: (build: SpooledBuild) => void | Promise<void>;
  limits?: Partial<LinkLimits>;
  builds?: SpooledBuilds;
  driver?: MemoryDriver;
  slots?: number;
  clock?: Clock;
  logged?: (line: string) => void;
}

export async function world(t: Test, options: LinkServiceOptions = {}) {
  const dir = t.testdir();
  const service = await startLinkService(t, { heartbeatMs: 200, ...options });
  const proxy = await startTcpProxy(() => service.port);
  t.teardown(async () => {
    await proxy.close();
    await service.stop();
  });
  const { hostId, credential } = await service.enrol();
  const address = { siteUrl: `http://127.0.0.1:${proxy.port}`, credential };
  const agent = async (more: AgentOptions = {}) => {
    const made = createTestAgent({ dir, address, ...more });
    await made.daemon.start();
    t.teardown(() => made.daemon.stop());
    return made;
  };
  // Each in a separate Mac, the first in slot_1.
  const slots = new Map<string, string>();
  const assign = (build_id: string, secrets?: { name: string; value: string }[], slot?: string) => {
    const slot_id = slot ?? slots.get(build_id) ?? `slot_${slots.size + 1}`;
    slots.set(build_id, slot_id);
    service.builds.assign(hostId, { build_id, slot_id }, secrets);
    service.wake.wake('host', hostId);
  };
  return { dir, service, proxy, hostId, address, agent, assign };
}
