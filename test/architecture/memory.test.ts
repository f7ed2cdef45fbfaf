// What the control plane keeps in memory between requests is in the table of ARCHITECTURE.md, or is a cache or a connection's.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = new URL('../../../', import.meta.url).pathname;
const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const table = document.slice(document.indexOf('## State in the memory'), document.indexOf('## The life of a build'));

/** Kept by one process alone, whatever the others keep. */
const ownOfAProcess: Readonly<Record<string, string>> = {
  'access/app/password-resets.ts': 'mails under way, for which a stop waits',
  'access/outbound/secret-scanning-keys.ts': 'a cache',
  'packages/app/packages.ts': 'a cache',
  'platform/app/sweeps.ts': 'metrics',
  'platform/blobs/fs-content-batch.ts': 'one request',
  'platform/blobs/fs-content-store.ts': 'a cache',
  'platform/blobs/object-packs.ts': 'a cache',
  'platform/http/access-watch.ts': 'open requests',
  'platform/http/body-deadline.ts': 'open requests',
  'platform/http/metrics.ts': 'metrics',
  'platform/http/readers.ts': 'open requests',
  'platform/http/reference.ts': 'a cache',
  'platform/outbound/pinned-agent.ts': 'a cache',
  'start/site/error-page.ts': 'a cache',
  'uploads/app/upload-contents.ts': 'a cache',
};

const layers =
  /^[a-z]+\/(?:app|blobs|http|link|logs|outbound|providers|code-hosts|site|workers)\/|^platform\/wake\.ts$/;
/** An empty map or set, or a queue, in a function that is called once: what it holds outlives a request. */
const keeps =
  /^export (?:async )?function (?:create|attach)(?:(?!^\}$)[\s\S])*?^ {2}(?:const|let) \w+(?:: [^=]+)? = new (?:Map|Set)\b[^()]*\(\);$/m;

const isInTable = (file: string): boolean => {
  const [folder = '', name = ''] = [file.slice(0, file.lastIndexOf('/') + 1), file.slice(file.lastIndexOf('/') + 1)];
  return table
    .split('\n')
    .some((row) => row.includes(`\`${folder}\``) || (row.includes(`${name}\``) && row.includes(folder)));
};

t.test('the table of ARCHITECTURE.md has everything that is kept in memory', async (t) => {
  const found = readdirSync(join(root, 'control-plane'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      layers.test(file) && file.endsWith('.ts') && keeps.test(readFileSync(join(root, 'control-plane', file), 'utf8')),
  );
  t.ok(found.length > 30, 'the search finds what it looks for');
  t.same(found.filter((file) => !isInTable(file)).sort(), Object.keys(ownOfAProcess).sort());
});
