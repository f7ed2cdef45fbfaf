// A service in this process that a browser reaches at its site URL.
import type { Test } from 'tap';
import { freePort } from '../free-port.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness.js';

/**
 * Starts the service on a free port of this machine, which its site URL names.
 *
 * @param name of this machine in that URL
 */
export async function startListening(
  t: Test,
  options: HarnessOptions = {},
  name: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<Harness> {
  const port = await freePort();
  const h = await startHarness(t, { siteUrl: `http://${name}:${port}`, ...options });
  await h.server.listen({ port, host: '127.0.0.1' });
  return h;
}
