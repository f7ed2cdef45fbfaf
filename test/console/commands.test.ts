// Commands that pages show: each is one that the command line has, with its options.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import t from 'tap';
import { loadAll } from '../../client/cli/commands.js';
import { createProgram } from '../../client/cli/program.js';

const root = new URL('../../../control-plane/console/', import.meta.url).pathname;

const optionsOf = (command: Command) => command.options.flatMap(({ short, long }) => [short, long]);

t.test('pages show commands that exist', async (t) => {
  const commands = await loadAll();
  const general = optionsOf(createProgram(process));
  const shown = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => {
      const code = readFileSync(join(root, path), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
      return [...code.matchAll(/\bcidermill ([a-z-]+)(?: ([a-z]+))?([^\n`<]*)/g)].map((found) => ({
        path,
        text: found[0],
        name: found[1],
        below: found[2],
        rest: found[3] ?? '',
      }));
    });
  t.ok(shown.length > 8, `${shown.length} commands`);
  for (const { path, text, name, below, rest } of shown) {
    const command = commands.find((one) => one.name() === name);
    const called = command?.commands.find((one) => one.name() === below) ?? command;
    t.ok(called, `${path}: ${text}`);
    const given = rest.replace(/ -- .*/, '').match(/(?<= )--[a-z-]+/g) ?? [];
    const known = called ? [...optionsOf(called), ...general] : [];
    t.same(
      given.filter((option) => !known.includes(option)),
      [],
      `${path}: ${text}`,
    );
  }
});
