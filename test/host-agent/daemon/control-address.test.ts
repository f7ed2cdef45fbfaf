import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createControlAddresses } from '../../../host-agent/daemon/control-address.js';
import { tempFolder } from '../runner/rig.js';

t.test('a path too long for a socket goes through a link, which does not outlive the next agent', async (t) => {
  const root = tempFolder(t);
  const record = path.join(root, 'short-path');
  const folder = path.join(root, 'd'.repeat(120));
  mkdirSync(path.join(folder, 'rb_1.1'), { recursive: true });
  writeFileSync(path.join(folder, 'rb_1.1/control'), 'socket');
  const near = createControlAddresses(root, record);
  t.equal(near.of(path.join(root, 'control')), path.join(root, 'control'));
  t.notOk(existsSync(record), 'a short path needs no link');

  const killed = createControlAddresses(folder, record);
  const address = killed.of(path.join(folder, 'rb_1.1/control'));
  t.ok(Buffer.byteLength(address) < 104, address);
  t.equal(readFileSync(address, 'utf8'), 'socket');
  const left = readFileSync(record, 'utf8');
  const next = createControlAddresses(folder, record);
  t.notOk(existsSync(left), 'removed after a kill');
  t.notOk(existsSync(record));
  t.equal(readFileSync(next.of(path.join(folder, 'rb_1.1/control')), 'utf8'), 'socket');
  const now = readFileSync(record, 'utf8');
  next.close();
  t.same([existsSync(now), existsSync(record)], [false, false]);
});

t.test('nothing else is removed, even if the record names it', async (t) => {
  const root = tempFolder(t);
  const record = path.join(root, 'short-path');
  const folder = path.join(root, 'builds');
  const other = path.join(root, 'other');
  for (const made of [folder, other]) mkdirSync(made);
  writeFileSync(path.join(other, 'b'), 'kept');
  for (const says of [other, path.join(root, 'none'), path.join(other, 'b'), '', root]) {
    writeFileSync(record, says);
    createControlAddresses(folder, record);
    t.notOk(existsSync(record), says);
  }
  t.same(readdirSync(root).sort(), ['builds', 'other']);
  t.same(readdirSync(other), ['b']);
  rmSync(other, { recursive: true });
});
