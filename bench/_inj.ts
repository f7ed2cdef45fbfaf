import Fastify from 'fastify';
import { systemClock } from '../shared/clock.js';
import { startHarness } from '../test/api/harness.js';
const h = await startHarness({ teardown() {} } as never, { limits: { requests_per_minute: 1e9 }, cacheClock: systemClock });
const headers = { authorization: `Bearer ${h.keys.all}` };
const body = (await h.server.inject({ url: '/api/v1/status', headers })).json();
const bare = Fastify(); bare.get('/x', async () => body); await bare.ready();
const run = async (name: string, s: { inject(o: object): Promise<{ statusCode: number }> }, url: string, n = 5000) => {
  const c = process.cpuUsage(); 
  for (let i = 0; i < n; i++) await s.inject({ url, headers });
  const d = process.cpuUsage(c);
  return d.user / n;
};
const best = new Map<string, number>();
for (let i = 0; i < 60; i++) for (const [n, s, u] of [['bare', bare, '/x'], ['health', h.server, '/healthz'], ['me', h.server, '/api/v1/me'], ['status', h.server, '/api/v1/status'], ['secrets', h.server, '/api/v1/secrets']] as const) {
  const v = await run(n, s as never, u, 400); best.set(n, Math.min(best.get(n) ?? 1e9, v));
}
console.log([...best].map(([n, v]) => `${n} ${v.toFixed(1)}`).join('  '));
process.exit(0);
