// Macs by name on the command line.
import t from 'tap';
import { setUp } from './renting-cli-rig.js';
import { runCli } from './run-cli.js';

t.test('every command takes the name of a Mac or its id, in any case', async (t) => {
  const { service, renting, place } = await setUp(t);
  const id = renting.addMac({ name: 'Release Mac' }).rental_id;
  const other = renting.addMac({ name: "it's 🦊" }).rental_id;
  const table: [args: string[], path: string][] = [
    [['macs', 'release mac'], `GET /rentals/${id}`],
    [['macs', "it's 🦊"], `GET /rentals/${other}`],
    [['macs', id], `GET /rentals/${id}`],
    [['setup', 'Release Mac'], `GET /rentals/${id}`],
    [['extend', 'Release Mac', '--days', '1', '--quote'], `POST /rentals/${id}/extend/quote`],
    [['reset', 'Release Mac', '--keep-cache'], `POST /rentals/${id}/reset`],
    [['xcode', '16.0', "IT'S 🦊"], `POST /rentals/${other}/xcode`],
  ];
  for (const [args, path] of table) {
    t.match(await runCli(place, args), { code: 0 }, args.join(' '));
    const { method, path: sent } = service.requests.at(-1) ?? {};
    t.equal(`${method} ${sent?.replace('/api/v1', '')}`, path, args.join(' '));
  }
  t.match(await runCli(place, ['macs']), { stdout: /^MAC .* ID\s*\nRelease Mac +local .*rt_\d+\s*\nit's 🦊/ });
  t.match(await runCli(place, ['macs', 'Release Mac']), { stdout: new RegExp(`^Release Mac\\n +id +${id}\\n`) });
  t.match(await runCli(place, ['macs', 'Nightly']), {
    code: 64,
    stderr: /No Mac is called "Nightly"; there are: Release Mac, it's 🦊\./,
  });
  const builds = await runCli(place, ['builds', '--rental', 'release mac']);
  t.match(builds, { code: 0 });
  t.match(service.requests.at(-1), { path: new RegExp(`rental_id=${id}`) });
});

t.test('a build is pinned to a Mac by its name or its id', async (t) => {
  const { service, renting, place } = await setUp(t);
  const { rental_id } = renting.addMac({ name: 'Release Mac' });
  renting.addMac({ name: 'Nightly' });
  const args = ['build', '--detach', '--repo', 'acme/app', '--script', 'make', '--rental'];
  for (const given of ['Release Mac', 'release mac', rental_id]) {
    t.match(await runCli(place, [...args, given]), { code: 0 }, given);
    const { path, body } = service.requests.at(-1) ?? {};
    t.match([path, JSON.parse(String(body))], ['/api/v1/builds', { rental_id }], given);
  }
  const before = service.requests.length;
  t.match(await runCli(place, [...args, 'Beta']), { code: 64, stderr: /No Mac is called "Beta"; there are:/ });
  const sent = service.requests.slice(before).filter(({ method }) => method !== 'GET');
  t.same(sent, [], 'no build of an unknown Mac is submitted');
});

t.test('rename', async (t) => {
  const { renting, place } = await setUp(t);
  const mac = renting.addMac({ name: 'Mac 1' });
  renting.addMac({ name: 'Mac 2' });
  t.match(await runCli(place, ['rename', 'mac 1', 'Release']), { code: 0, stdout: `Release (${mac.rental_id})\n` });
  t.equal(mac.name, 'Release');
  t.match(await runCli(place, ['rename', mac.rental_id, 'Release']), { code: 0, stdout: /has that name already\n$/ });
  t.match(await runCli(place, ['rename', 'Release', 'Mac 2']), { code: 70, stderr: /name_taken/ });
  t.match(await runCli(place, ['rename', 'Release']), { code: 64, stderr: /name/ });
  const json = await runCli(place, ['rename', 'Release', 'Nightly', '--json']);
  t.match(JSON.parse(json.stdout), { rental_id: mac.rental_id, rental_name: 'Nightly' });
});

t.test('names when renting', async (t) => {
  const { service, place } = await setUp(t);
  const args = ['rent', '--tier', 'local', '--days', '1', '--units', '2', '--detach'];
  t.match(await runCli(place, [...args, '--name', 'Release', '--name', 'Beta, 2']), { code: 0 });
  t.match(JSON.parse(String(service.requests.at(-1)?.body)), { units: 2, names: ['Release', 'Beta, 2'] });
});
