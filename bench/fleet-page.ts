// Makes the pictures and tables of docs/scale.md from docs/scale.json, which `bench/fleet.js --save` writes.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { picturesOf } from './fleet/pictures.js';
import { readResults } from './fleet/results.js';
import { arithmeticTable, measuredTable } from './fleet/tables.js';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const results = readResults(`${docs}scale.json`).sort(
  (a, b) => a.options.postgres - b.options.postgres || a.options.hosts - b.options.hosts || a.at.localeCompare(b.at),
);
const largest = results.filter(({ options }) => options.postgres === 0 && options.polls > 0).at(-1) ?? results[0];
if (largest === undefined)
  throw new Error('docs/scale.json has no results: run bench/fleet.js with --save docs/scale.json');

for (const [name, picture] of Object.entries(picturesOf(results))) writeFileSync(`${docs}pictures/${name}`, picture);
const page = `${docs}scale.md`;
const between = (text: string, name: string, content: string) => {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for ${name}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
};
const withTables = between(readFileSync(page, 'utf8'), 'measured', measuredTable(results));
writeFileSync(page, between(withTables, 'arithmetic', arithmeticTable(largest)));
