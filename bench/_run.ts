import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { load } from './http-load.js';
const start = async (file: string, args: string[] = []) => {
  const c = spawn(process.execPath, [...(file === '_srv.js' ? (process.env.NF ?? '').split(' ').filter(Boolean) : []), ...(process.env.PROF && file === '_srv.js' ? ['--cpu-prof', '--cpu-prof-interval=150', '--cpu-prof-dir=/tmp/prof'] : []), new URL(file, import.meta.url).pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((r) => createInterface(c.stdout!).once('line', r));
  return { ...JSON.parse(line), pid: c.pid!, kill: () => c.kill(process.env.PROF ? 'SIGINT' : 'SIGTERM') };
};
let n = 0;
const srv = await start('_srv.js');
const auth = `Host: x\r\nAuthorization: Bearer ${srv.key}\r\n`;
const body = JSON.stringify({ repo: 'owner/name', script: 'make test', queue_until_rental: true });
const get = (p: string) => `GET ${p} HTTP/1.1\r\n${auth}\r\n`;
const post = (p: string) => `POST ${p} HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const st = await (await fetch(`http://127.0.0.1:${srv.port}/api/v1/status`, { headers: { authorization: `Bearer ${srv.key}` } })).text();
const bare = await start('_bare.js', [st]);
const med = (a: number[]) => a.sort((x, y) => x - y)[a.length >> 1]!;
const cases: [string, number, number, () => string][] = [
  ['bare get', bare.port, bare.pid, () => get('/x')],
  ['me', srv.port, srv.pid, () => get('/api/v1/me')],
  ['status', srv.port, srv.pid, () => get('/api/v1/status')],
  ['bare post', bare.port, bare.pid, () => post('/x')],
  ['post builds', srv.port, srv.pid, () => post('/api/v1/builds').replace(srv.key, srv.keys[n++ % 150])],
];
const only = process.env.ONLY;
const out = new Map<string, { r: number[]; c: number[] }>();
for (let i = 0; i < Number(process.env.N ?? 25); i++)
  for (const [n, port, pid, request] of cases) {
    if (only && !only.split(',').includes(n)) continue;
    const l = await load({ port, pid, request, connections: 32, ms: 250 });
    if (i === 0) continue;
    const o = out.get(n) ?? { r: [], c: [] };
    o.r.push(l.requestsPerSecond); o.c.push(l.cpuMicros); out.set(n, o);
  }
for (const [n, o] of out) console.log(n.padEnd(12), Math.round(med(o.r)), 'req/s', med(o.c).toFixed(1), 'us cpu median', Math.min(...o.c).toFixed(1), 'min', Math.round(Math.max(...o.r)), 'max req/s');
srv.kill(); bare.kill();
