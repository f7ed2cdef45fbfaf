// What all operations of operators have in common.
import t from 'tap';
import type { z } from 'zod';
import { operations } from '../../control-plane/compose/operator-api.js';
import { setHosts } from '../../control-plane/hosts/http/operator-host-changes.js';
import { operationPath } from '../../control-plane/platform/http/operation.js';
import { startHarness } from '../harness/harness.js';
import { commands, wordsOf } from './command-words.js';

const token = 'an-operator-token-of-the-tests';

t.test('every operation has a command of its name', async (t) => {
  const known = new Set(commands().map(wordsOf));
  // Options of `order refund` and `host upgrade`.
  const withoutCommand = ['order.plan-refund', 'host.upgrade.cancel'];
  for (const { name, audit } of operations) {
    t.equal(known.has(name.replaceAll('.', ' ')), !withoutCommand.includes(name), name);
    if (audit !== null) t.match(audit.name, /^[a-z_]+\.[a-z_]+$/);
  }
});

/** Each of them is an option of its own. */
const SETTINGS = 'settings';

/** Fields that are given in another way than by an argument or option of their name. */
const otherwise: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // `--tier` and `--label` are settings there.
  'host.set': { tier: '--of-tier', labels: '--of-label', set: SETTINGS },
  'host.approve': { code: 'code-or-host', host: 'code-or-host' },
  'host.remove': { confirmed: '--yes' },
  // Not in the list of processes.
  'user.create': { password: '--password-stdin' },
  'user.set-password': { password: '--password-stdin' },
};

/** Options that are no field. */
const further: Readonly<Record<string, readonly string[]>> = {
  'host.approve': ['--list', '--yes'],
  'host.drain': ['--timeout', '--wait'],
  'host.move-to': ['--cancel'],
  'host.upgrade': ['--cancel', '--status', '--wait'],
  'image.pull': ['--wait'],
  'order.refund': ['--dry-run'],
};
const ofEveryCommand = ['--data', '--url', '--json'];

t.test('the options of a command are the fields of its operation, in the same words', async (t) => {
  const known = new Map(commands().map((command) => [wordsOf(command).replaceAll(' ', '.'), command]));
  for (const { name, input } of operations) {
    const command = known.get(name);
    if (!command) continue;
    const args = command.registeredArguments.map((one) => one.name());
    const options = new Map(command.options.map(({ long, description }) => [String(long), description]));
    const fieldsOf = (shape: z.ZodObject, given: Readonly<Record<string, string>> = {}) =>
      Object.entries(shape.shape).map(([field, type]) => {
        const flag = `--${field.replaceAll('_', '-')}`;
        const isThere = (one: string) => args.includes(one) || options.has(one);
        const at = given[field] ?? [field, flag, flag.replace(/s$/, '')].find(isThere);
        t.ok(at === SETTINGS || isThere(at ?? ''), `${name}: ${field} can be given`);
        const said = given[field] === undefined ? options.get(at ?? '') : undefined;
        const { description = '' } = type as z.ZodType;
        if (said !== undefined)
          t.equal(said.slice(0, description.length).toLowerCase(), description.toLowerCase(), `${name} ${at}`);
        return at;
      });
    const fields = fieldsOf(input, otherwise[name]);
    if (fields.includes(SETTINGS)) fields.push(...fieldsOf(setHosts.input.shape.set));
    t.same(
      [...options.keys()].filter((one) => !fields.includes(one) && !ofEveryCommand.includes(one)).sort(),
      further[name] ?? [],
      `${name}: its other options`,
    );
  }
});

t.test('the route of every operation refuses unknown fields, and changes nothing then', async (t) => {
  const h = await startHarness(t, { operatorToken: token });
  for (const { name } of operations.filter(({ access }) => access !== 'machine')) {
    const answer = await h.inject({
      method: 'POST',
      url: `/api/operator${operationPath(name)}`,
      headers: { authorization: `Bearer ${token}` },
      payload: { unheard_of: 'x' },
    });
    t.match(
      { status: answer.statusCode, error: answer.json().error },
      { status: 400, error: { code: 'invalid_request', message: /unheard_of/ } },
      name,
    );
  }
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 200 });
  t.same(
    entries.filter(({ result }) => result === 'ok'),
    [],
  );
});
