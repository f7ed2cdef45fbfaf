// The recipes for operators: options of the installer that they use exist, the playbook keeps the token out of command lines, and
// the profile names the job that the agent installs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { z } from 'zod';
import { JOB_LABEL } from '../../host-agent/installation/paths.js';
import { root } from '../harness/package-here.js';
import { openInstallers, SITE } from '../packages/installer-rig.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const installer = read('control-plane/packages/installers/host-agent.sh');

const TO_JSON = 'import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))';
const command = z.string().optional();
const task = z.strictObject({
  name: z.string(),
  'ansible.builtin.raw': command,
  'ansible.builtin.script': z.strictObject({ cmd: z.string() }).optional(),
  'ansible.builtin.copy': z.strictObject({ content: z.string(), dest: z.string(), mode: z.string() }).optional(),
  'ansible.builtin.file': z.strictObject({ path: z.string(), state: z.string() }).optional(),
  register: command,
  when: command,
  delegate_to: command,
  failed_when: z.unknown().optional(),
  run_once: z.literal(true).optional(),
  no_log: z.literal(true).optional(),
  become: z.literal(false).optional(),
  changed_when: z.literal(false).optional(),
});
const playbook = z.tuple([
  z.strictObject({
    name: z.string(),
    hosts: z.string(),
    become: z.literal(true),
    gather_facts: z.literal(false),
    vars: z.record(z.string(), z.string()),
    tasks: z.array(task),
  }),
]);

t.test('the playbook', async (t) => {
  const [{ tasks, vars }] = playbook.parse(parse(read('docs/recipes/ansible/hosts.yml')));
  const [write, status, install, doctor, remove] = tasks;
  const copied = write?.['ansible.builtin.copy'];
  t.match(write, { delegate_to: 'localhost', run_once: true, no_log: true, become: false });
  t.match(copied, { dest: '{{ cidermill_script }}', mode: '0700' });
  t.match(install, { when: 'status.rc != 0', 'ansible.builtin.script': { cmd: '{{ cidermill_script }}' } });
  t.match(remove, {
    'ansible.builtin.file': { path: '{{ cidermill_script }}', state: 'absent' },
    delegate_to: 'localhost',
  });
  const agent = '/usr/local/bin/cidermill host-agent';
  t.equal(status?.['ansible.builtin.raw'], `${agent} status`);
  t.equal(doctor?.['ansible.builtin.raw'], `${agent} doctor --fix`);

  // The script, as Ansible would write it, against the real installer.
  const rig = await openInstallers(t);
  const installer = join(rig.folder, 'installer');
  writeFileSync(installer, await rig.script('host-agent'));
  const curl = readFileSync(join(rig.bin, 'curl'), 'utf8').replace(
    '#!/bin/sh',
    `#!/bin/sh\n[ "$4" != '${vars.cidermill_site}/install/host-agent' ] || exec cp '${installer}' "$3"`,
  );
  rig.standIn('curl', curl);
  const values: Record<string, string> = { ...vars, cidermill_token: "a 'token' $HOME" };
  const script = (copied?.content ?? '')
    .replace(/\{\{ (\w+) \}\}/g, (_, name: string) => values[name] ?? '')
    .replace(' --driver', ` --prefix '${rig.prefix}' --driver`);
  mkdirSync(join(rig.folder, 'tmp'));
  t.match(rig.run(script, []), { status: 0 });
  const { args = [] } = rig.called() ?? {};
  t.match(args.slice(0, -1), ['host-agent', 'install', '--url', SITE, '--prefix', rig.prefix, '--driver', 'tart']);
  t.equal(args.at(-2), '--token-file');
  t.same(readdirSync(join(rig.folder, 'tmp')), [], 'the token is gone');
});

t.test('the profile', async (t) => {
  const profile = JSON.parse(
    execFileSync('python3', ['-c', TO_JSON, join(root, 'docs/recipes/mdm/cidermill.mobileconfig')], {
      encoding: 'utf8',
    }),
  );
  t.match(profile, {
    PayloadType: 'Configuration',
    PayloadScope: 'System',
    PayloadContent: [
      {
        PayloadType: 'com.apple.servicemanagement',
        Rules: [{ RuleType: 'Label', RuleValue: JOB_LABEL }],
      },
      { PayloadType: 'com.apple.SoftwareUpdate', AutomaticallyInstallMacOSUpdates: false },
    ],
  });
});

t.test('lines of the installer in the documents have options that exist', async (t) => {
  let lines = 0;
  for (const page of [
    'docs/operating.md',
    'docs/recipes/mdm.md',
    'docs/recipes/ansible.md',
    'launchd/README.md',
    'README.md',
  ]) {
    for (const [, line = ''] of read(page).matchAll(/\/install\/host-agent \| (.*)$/gm)) {
      lines++;
      for (const [option] of line.matchAll(/--[a-z][a-z-]*/g)) {
        t.match(installer, new RegExp(`\\n      ${option}\\)`), `${page}: ${option}`);
      }
    }
  }
  t.ok(lines > 1);
});
