// `npm run package`: makes the packages and SHA256SUMS in dist/packages. `npm run package -- --this-machine` adds a package of
// the host agent with this machine's Node, for a host of the same system or to try it. With `--client`, as `npm run build`
// and `npm start` call it, only the package of the command line is made.
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProgram } from './bundle-program.js';
import { packageClient } from './client.js';
import { packageAll } from './full.js';
import { packageHostAgent } from './host-agent.js';
import { fetchRuntime, macRuntime, runtimeHere } from './runtime.js';
import { writeSums } from './sums.js';

const root = new URL('../../../', import.meta.url).pathname;
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/packages') },
    'this-machine': { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
  },
});
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const common = { root, out, version };
const made = [await packageClient(common)];
if (!values.client) {
  const runtimes = [
    await fetchRuntime(macRuntime, join(root, 'node_modules/.cache/cidermill')),
    ...(values['this-machine'] ? [await runtimeHere()] : []),
  ];
  made.push(await packageAll(common));
  const program = await bundleProgram(root, version);
  for (const runtime of runtimes) made.push(await packageHostAgent({ ...common, runtime, program }));
}
writeSums(out, made);
if (!values.client) for (const { name } of made) process.stdout.write(`${join(out, name)}\n`);
