// docs/operating.md from its first command to its last, on a fresh system. Real: the service under its unit's user, nginx with TLS,
// the package, the installer, the host agent, builds, backup and restore. Stand-ins: systemd, and on the Mac launchd and its
// tools (test/harness/macos).
// Requires: nginx, openssl, sudo
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { onMachine } from '../harness/machine/machine.js';
import { type Block, commandsOf } from '../harness/machine/page-commands.js';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
const page = readFileSync(`${CHECKOUT}/docs/operating.md`, 'utf8');
// The certificate of macs.example is of a private authority here.
const trusted = page.replace(' --driver tart\n', ' --driver tart --ca-file /etc/ssl/certs/ca-certificates.crt\n');
// Those with PostgreSQL: restore-large.test.ts.
const blocks = commandsOf(trusted).filter(({ where }) => where !== 'with PostgreSQL');

/** What is there before the page begins: an address, a certificate for it, and this system's own node. */
const BEFORE = `
set -euo pipefail
export PATH=/opt/cidermill/test/harness/machine/bin:$PATH
[ /usr/bin/node -ef ${process.execPath} ] || ln -sf ${process.execPath} /usr/bin/node
echo '127.0.0.1 mac-01 macs.example new.example' >>/etc/hosts
mkdir -p /etc/cidermill/tls /root/operator
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj '/CN=macs.example' \\
  -addext 'subjectAltName=DNS:macs.example,DNS:new.example' \\
  -keyout /etc/cidermill/tls/privkey.pem -out /etc/cidermill/tls/fullchain.pem 2>/dev/null
cp /etc/cidermill/tls/fullchain.pem /usr/local/share/ca-certificates/macs.crt
update-ca-certificates >/dev/null 2>&1
export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
echo 'Defaults env_keep += "NODE_EXTRA_CA_CERTS CIDERMILL_TOOLS_DIR", secure_path="/opt/cidermill/test/harness/machine/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"' >/etc/sudoers.d/test
cd /root/operator
`;

/** The service and the Mac are one system here; of their two commands `cidermill`, each has its own in its place. */
const ON_A_MAC = `
export CIDERMILL_TOOLS_DIR=/mac
[ -d /mac ] || node /opt/cidermill/dist/test/harness/machine/mac.js ghcr.io/cirruslabs/macos-tahoe-xcode:26.1
mv /usr/local/bin/cidermill /root/command-of-the-service
[ ! -L /root/command-of-the-mac ] || mv /root/command-of-the-mac /usr/local/bin/cidermill
`;
const OFF_THE_MAC = `
mv /usr/local/bin/cidermill /root/command-of-the-mac
mv /root/command-of-the-service /usr/local/bin/cidermill
`;

/** Shows where the script is, so that a failure names its line of the page. */
/** What a person does at a heading, beside its commands. */
const BY_HAND: Readonly<Record<string, string>> = {
  // "Get the sources of the new version."
  Upgrade: `sed -i 's/"version": "[^"]*"/"version": "99.0.0"/' /opt/cidermill/package.json\n`,
};

const runnable = ({ line, commands, where, heading }: Block) => {
  const onMac = where === 'on each Mac';
  const place = where === null ? '' : `, ${where}`;
  return `echo '== line ${line}${place}'\n${BY_HAND[heading] ?? ''}${onMac ? ON_A_MAC : ''}${commands}${onMac ? OFF_THE_MAC : ''}`;
};

t.test('every command of docs/operating.md, in order', async (t) => {
  t.ok(blocks.length >= 10, `${blocks.length} blocks of commands`);
  execFileSync('/bin/bash', ['-n'], { input: blocks.map(runnable).join('\n') });
  const script = `${BEFORE}\nset -x\n${blocks.map(runnable).join('\n')}\necho '== the end'\n`;
  const { code, output } = await onMachine(t, CHECKOUT, script);
  const reached = output.match(/^== .*$/gm) ?? [];
  t.equal(reached.at(-1), '== the end', output.slice(-6000));
  t.equal(code, 0);
  t.match(output, /^No problems found/m, 'of the Mac, once they are fixed');
  t.match(output, /mac-01 +ready +pull done$/m);
  t.equal(output.match(/^ProductName:\t\tmacOS$/gm)?.length, 2, 'the builds ran in a guest, one after the restore');
  t.match(output, /^upgrade to 99\.0\.0: done\nmac-01 +\S+ +99\.0\.0 /m);
});
