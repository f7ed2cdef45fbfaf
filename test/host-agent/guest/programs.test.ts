// The programs that run in guests: they compile, and use nothing that macOS lacks.
// Requires: dash, perl, shellcheck
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { guestProgram } from '../../../host-agent/guest/program.js';

const folder = new URL('../../../../host-agent/guest/programs/', import.meta.url).pathname;
const names = readdirSync(folder);

const check = (file: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};

t.test('every program compiles without warnings', async (t) => {
  t.ok(names.includes('supervise.pl'));
  for (const name of names) {
    const file = path.join(folder, name);
    t.match(name, /^[a-z-]+\.(pl|sh)$/);
    if (name.endsWith('.pl')) {
      t.same(check('perl', '-c', file), { status: 0, said: `${file} syntax OK\n` });
      t.match(readFileSync(file, 'utf8'), /^(#[^\n]*\n)+use strict;\nuse warnings;\n/, `${name} is strict`);
    } else {
      t.same(check('dash', '-n', file), { status: 0, said: '' });
      t.same(check('shellcheck', '-s', 'sh', '-e', 'SC2148', file), { status: 0, said: '' });
    }
  }
});

/** What GNU tools understand and those of macOS do not, and commands that macOS does not have. */
const gnuOnly: readonly RegExp[] = [
  /\bstat (-c|--format|--printf)\b/,
  /\bsed (-\w*i\b(?! ['"]{2})|-z|--)/,
  /\bdate (-d|--date|-I)\b/,
  /\breadlink (-\w*[em]|--)/,
  /\bxargs (-\w*[dr]\b|--)/,
  /\bfind .*-(printf|regextype|executable|readable|writable)\b/,
  /\bcp (-\w*[u]|--|-\w*t\b)/,
  /\bmv (-\w*[tu]\b|--)/,
  /\bls (--|-\w*[vQ]\b)/,
  /\bgrep (-\w*P|--)/,
  /\bhead (-n -|-c -|--)/,
  /\btail (--|-\w*[sz]\b)/,
  /\bsort (-\w*[VRh]\b|--)/,
  /\bdu (-\w*b|--)/,
  /\bdf (-\w*[BT]\b|--)/,
  /\btar (--(transform|owner|sort|mtime|wildcards))/,
  /\bmktemp (-\w*p|--)/,
  /\btouch (-\w*d|--)/,
  /\bps (-\w*C|--|-\w*o \w*(cmd|sid)\b)/,
  /\bln (-\w*[rt]|--)/,
  /\brm --/,
  /\bbase64 (-w|--wrap)/,
  /\b(timeout|setsid|tac|nproc|pidof|md5sum|sha256sum|realpath|numfmt|shuf|systemctl|apt-get|flock)\b/,
  /\becho -[en]\b/,
  /\/proc\/(?!self\/stat|sys\/kernel\/random|\$)/,
];

/** Perl programs start commands as strings or lists; comments are not code. */
const codeOf = (name: string) =>
  readFileSync(path.join(folder, name), 'utf8')
    .replace(/^\s*#.*$/gm, '')
    .replaceAll("', '", ' ');

t.test('no program uses a flag or a command that macOS does not have', async (t) => {
  for (const name of names) {
    const code = name.endsWith('.pl')
      ? codeOf(name).replace(/\b(POSIX::setsid|(Cwd::)?realpath)\(/g, '')
      : codeOf(name);
    for (const pattern of gnuOnly) t.notMatch(code, pattern, `${name}: ${pattern}`);
  }
  const wrong = ['stat -c %s', "sed -i 's/a/b/'", 'readlink -e x', 'find . -printf x', 'sha256sum', 'cp -u a b'];
  for (const line of wrong)
    t.ok(
      gnuOnly.some((pattern) => pattern.test(line)),
      line,
    );
  for (const line of ["sed -i '' 's/a/b/'", 'readlink x', 'head -n 1', 'cp -pR a b']) {
    t.notOk(
      gnuOnly.some((pattern) => pattern.test(line)),
      line,
    );
  }
});

t.test('no program needs a module that is not part of Perl on macOS', async (t) => {
  const core =
    'strict warnings constant Cwd Digest::SHA Encode Errno Fcntl File::Path File::Temp JSON::PP MIME::Base64 POSIX Socket Time::HiRes';
  for (const name of names.filter((one) => one.endsWith('.pl'))) {
    const used = [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^\s*(?:use|require) ([A-Za-z:]+)/gm)];
    for (const [, module = ''] of used) t.ok(core.split(' ').includes(module), `${name} uses ${module}`);
  }
});

t.test('a program of several files is read once and sent as one text', async (t) => {
  const program = guestProgram('frames.pl', 'run.pl');
  t.equal(program, guestProgram('frames.pl', 'run.pl'));
  t.equal(program.language, 'perl');
  t.match(program.source.toString(), /#line 1 "frames\.pl".*#line 1 "run\.pl"/s);
});
