// `npm run package`: makes the packages, SHA256SUMS and its signature in dist/packages. `npm run package -- --this-machine` adds a
// package of the host agent with this machine's Node, for a host of the same system or to try it. With `--client`, as `npm run
// build` and `npm start` call it, only the package of the command line is made, in dist/client-package: it is offered until one
// is published.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parsePublicKey } from '../../shared/minisign.js';
import { bundleProgram } from './bundle-program.js';
import { packageClient } from './client.js';
import { packageAll } from './full.js';
import { packageHostAgent } from './host-agent.js';
import { publish } from './publish.js';
import { fetchRuntime, macRuntime, runtimeHere } from './runtime.js';
import { defaultKeyFile, openKey, SIGNATURE } from './signing.js';
import { writeSums } from './sums.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    'this-machine': { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
    'signing-key': { type: 'string', default: defaultKeyFile(process.env) },
    'trust-key': { type: 'string', multiple: true, default: [] },
    'public-key': { type: 'boolean', default: false },
    replace: { type: 'boolean', default: false },
    'sign-present': { type: 'boolean', default: false },
  },
});
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const out = resolve(values.out ?? join(root, values.client ? 'dist/client-package' : 'dist/packages'));
const say = (text: string) => process.stderr.write(`${text}\n`);

async function packageBuiltClient(): Promise<void> {
  mkdirSync(out, { recursive: true });
  writeSums(out, [await packageClient({ root, out, version })], false);
}

async function packageEverything(): Promise<void> {
  if (!existsSync(values['signing-key']) && existsSync(join(out, SIGNATURE)) && !values['public-key']) {
    throw new Error(
      `the packages in ${out} are signed, and there is no key ${values['signing-key']}: name it with --signing-key. Hosts refuse ` +
        `upgrades signed with a new one; to begin with one nevertheless, delete ${join(out, SIGNATURE)}`,
    );
  }
  const key = openKey(values['signing-key'], { outsideOf: [root, out], say });
  if (values['public-key']) return void process.stdout.write(`${key.text}\n`);
  const trusted = values['trust-key'].map((text) => parsePublicKey(text).text);
  const { replace, 'sign-present': signPresent } = values;
  const made = await publish({ out, key, trusted, replace, signPresent, say }, async (folder) => {
    const common = { root, out: folder, version };
    const runtimes = [
      await fetchRuntime(macRuntime, join(root, 'node_modules/.cache/cidermill')),
      ...(values['this-machine'] ? [await runtimeHere()] : []),
    ];
    const packages = [await packageClient(common), await packageAll(common)];
    const program = await bundleProgram(root, version, [key.text, ...trusted]);
    for (const runtime of runtimes) packages.push(await packageHostAgent({ ...common, runtime, program }));
    return packages;
  });
  for (const { name } of made) process.stdout.write(`${join(out, name)}\n`);
  say(`signed with the key ${key.id}: ${key.text}`);
}

try {
  await (values.client ? packageBuiltClient() : packageEverything());
} catch (error) {
  say(`package: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
