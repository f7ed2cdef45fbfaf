// What an installation fetches and from where, as far as the project decides it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const json = (path: string) => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));

t.test('better-sqlite3 is compiled, not fetched from a release server', async (t) => {
  // Runs npm's install script without npm's own output.
  const { npm_config_build_from_source: _, ...env } = process.env;
  const settings = execFileSync(process.execPath, ['../prebuild-install/rc.js'], {
    cwd: `${root}node_modules/better-sqlite3`,
    encoding: 'utf8',
    env: { ...env, NODE_OPTIONS: '' },
  });
  t.equal(JSON.parse(settings).buildFromSource, true);
});

t.test('a version that must stay fixed is fixed for installed packages too', async (t) => {
  const { dependencies, overrides } = json('package.json');
  t.equal(overrides, undefined, 'overrides hold in a checkout only');
  t.match(dependencies['light-my-request'], /^\d+\.\d+\.\d+$/);
  const { packages } = json('package-lock.json');
  const held = Object.keys(packages).filter((path) => path.endsWith('/light-my-request'));
  t.same(held, ['node_modules/light-my-request'], 'Fastify takes the same one');
});

t.test('no text tells a person to run a package of a public registry with our name', async (t) => {
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' });
  const pages = docs.filter((name) => /\.(md|yml|yaml)$|Fastfile$/.test(name)).map((name) => `docs/${name}`);
  for (const page of ['README.md', ...pages]) {
    const text = readFileSync(`${root}${page}`, 'utf8');
    t.notMatch(text, /npx (-y )?cidermill|npm (i|install) (-g |--global )?cidermill\b/, page);
  }
});
