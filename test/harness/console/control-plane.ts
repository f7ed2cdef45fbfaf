// The control plane inside this process, on a free port, with an empty folder.
import { pino } from 'pino';
import type { Test } from 'tap';
import { type ControlPlane, createControlPlane } from '../../../control-plane/index.js';

export async function startControlPlane(t: Test): Promise<ControlPlane> {
  const env = { CIDERMILL_DATA: t.testdir(), CIDERMILL_PORT: '0' };
  const service = await createControlPlane({ env, log: pino({ level: 'silent' }) });
  t.teardown(() => service.stop());
  return service;
}
