// The package of the host agent: a Node runtime, one program file and node-pty with its native code. Nothing of it is
// compiled or downloaded where it is installed. See docs/adr/0043-packages.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveFile, type Package, textFile, writeArchive } from './archive.js';
import { type BundledProgram, bundleProgram } from './bundle-program.js';
import { noticeOf, noticesText } from './notices.js';
import type { Runtime } from './runtime.js';

/** What `node-pty/lib/index.js` loads on Unix. */
const PTY_MODULES = ['eventEmitter2', 'index', 'terminal', 'unixTerminal', 'utils'];

/**
 * Writes `cidermill-host-agent-VERSION-PLATFORM.tar.gz` to the folder `out`.
 *
 * @param root the source tree, with node_modules
 */
export async function packageHostAgent(options: {
  root: string;
  out: string;
  version: string;
  runtime: Runtime;
  /** Default: bundled here. */
  program?: BundledProgram;
}): Promise<Package> {
  const { root, out, version, runtime } = options;
  const { code, packages } = options.program ?? (await bundleProgram(root, version));
  const manifest = { name: 'cidermill-host-agent', version, license: 'Apache-2.0', private: true };
  const notices = [...packages.map((name) => noticeOf(root, name)), ...runtimeNotice(runtime)];
  const files: ArchiveFile[] = [
    { path: 'bin/node', executable: true, content: runtime.node },
    textFile('bin/cidermill', readFileSync(join(root, 'host-agent/installation/launcher.sh'), 'utf8'), true),
    textFile('lib/cidermill.mjs', code),
    ...nodePty(root, runtime.platform),
    textFile('LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')),
    textFile('NOTICES', noticesText(notices)),
    textFile('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
  ];
  const name = `cidermill-host-agent-${version}-${runtime.platform}.tar.gz`;
  return { name, sha256: await writeArchive(join(out, name), `cidermill-host-agent-${version}`, files) };
}

/**
 * Returns node-pty for the platform: prebuilt by its authors for macOS; on other systems what was built for this
 * machine.
 */
function nodePty(root: string, platform: string): ArchiveFile[] {
  const folder = join(root, 'node_modules/node-pty');
  const isMac = platform.startsWith('darwin-');
  const native = isMac ? `prebuilds/${platform}` : 'build/Release';
  const file = (from: string, to = from, executable = false): ArchiveFile => ({
    path: `lib/node-pty/${to}`,
    executable,
    content: readFileSync(join(folder, from)),
  });
  return [
    ...PTY_MODULES.map((name) => file(`lib/${name}.js`)),
    file('package.json'),
    file('LICENSE'),
    file(`${native}/pty.node`, `prebuilds/${platform}/pty.node`),
    // node-pty's own package has it without execute permission.
    ...(isMac ? [file(`${native}/spawn-helper`, `prebuilds/${platform}/spawn-helper`, true)] : []),
  ];
}

function runtimeNotice({ version, license }: Runtime) {
  const source = `https://github.com/nodejs/node/blob/v${version}/LICENSE`;
  return [{ title: `Node.js ${version}`, text: license ?? `The license of this Node is at ${source}` }];
}
