import { systemClock } from '../shared/clock.js';
import { startHarness } from '../test/api/harness.js';
import { startBuildHost } from '../test/api/build-host.js';
const h = await startHarness({ teardown() {} } as never, { limits: { requests_per_minute: 1e9, queued_builds: 1e7 }, cacheClock: systemClock });
if (process.env.MACS) await startBuildHost(h, { macs: 2 });
const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
process.on('SIGINT',()=>process.exit(0));
const keys: string[] = [];
for (let i = 0; i < 150; i++) { const o = await h.organizations.create({ name: `o${i}` }); keys.push((await h.apiKeys.create({ accountId: o.id, workspaceId: o.workspaceId, name: 'k', levels: ['build'] })).key); }
console.log(JSON.stringify({ keys, port: Number(new URL(url).port), key: h.keys.all }));
