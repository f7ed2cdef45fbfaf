// The icons in the tab of the browser.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { iconFiles } from '../../tools/icons/files.js';

const folder = new URL('../../../control-plane/console/design/icons/', import.meta.url);

t.test('the files are those that the script makes, and small', async (t) => {
  const made = iconFiles();
  t.same(readdirSync(folder).sort(), [...made.keys()].sort());
  for (const [name, contents] of made) {
    t.ok(readFileSync(new URL(name, folder)).equals(contents), name);
    t.ok(contents.length < 4_096, `${name}: ${contents.length} bytes`);
  }
  const different = new Set([...made.values()].map((contents) => contents.toString('base64')));
  t.equal(different.size, made.size, 'each status has an icon of its own');
});
