// The tar reader against archives of real writers, and against hostile archives.
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import t from 'tap';
import { pack } from 'tar-stream';
import { readTar, type TarBounds, TarError } from '../../shared/archive/tar-reader.js';
import { tarComment, tarEnd, tarHeader } from '../../shared/archive/tar-writer.js';
import { pieces } from '../platform/content-store-conformance.js';

const bounds: TarBounds = {
  maxFiles: 1000,
  maxFolders: 1000,
  maxFileBytes: 1_000_000,
  maxTotalBytes: 2_000_000,
  maxPathBytes: 1024,
};

interface Read {
  files: Record<string, string>;
  modes: Record<string, number>;
  links: Record<string, string>;
  directories: string[];
}

async function read(bytes: Buffer, size = 1 << 20, limits = bounds): Promise<Read> {
  const out: Read = { files: {}, modes: {}, links: {}, directories: [] };
  const entries = readTar(pieces(bytes, size), limits);
  let next = await entries.next();
  for (; !next.done; next = await entries.next()) {
    const { path, mode, body } = next.value;
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    out.files[path] = Buffer.concat(chunks).toString('latin1');
    out.modes[path] = mode;
  }
  for (const { path, target } of next.value.links) out.links[path] = target;
  out.directories = next.value.directories;
  return out;
}

interface Raw {
  name?: string | Buffer;
  type?: string;
  body?: string | Buffer;
  size?: string | Buffer;
  target?: string | Buffer;
  mode?: string;
  magic?: string;
  prefix?: string;
  /** Added to the right checksum. */
  off?: number;
}

/** One entry written by hand, so that any field can be wrong. */
function raw({
  name = 'a',
  type = '0',
  body = '',
  target = '',
  mode = '0000644\0',
  magic = 'ustar\x0000',
  prefix = '',
  off = 0,
  ...rest
}: Raw): Buffer {
  const content = Buffer.from(body);
  const header = Buffer.alloc(512);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write(mode, 100, 'latin1');
  header.write('0000000\x000000000\0', 108, 'latin1');
  const size = rest.size ?? `${content.length.toString(8).padStart(11, '0')}\0`;
  (typeof size === 'string' ? Buffer.from(size, 'latin1') : size).copy(header, 124, 0, 12);
  header.write('00000000000\0', 136, 'latin1');
  header.write(type, 156, 'latin1');
  Buffer.from(target).copy(header, 157, 0, 100);
  header.write(magic, 257, 'latin1');
  header.write(prefix, 345);
  header.fill(' ', 148, 156);
  const sum = header.reduce((a, b) => a + b, 0) + off;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

const END = Buffer.alloc(1024);
const archive = (...entries: Raw[]) => Buffer.concat([...entries.map(raw), END]);
const paxRecord = (key: string, value: string) => {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (Buffer.byteLength(`${length}${rest}`) !== length) length++;
  return `${length}${rest}`;
};
const pax = (records: Record<string, string>): Raw => ({
  name: 'PaxHeader',
  type: 'x',
  body: Object.entries(records)
    .map(([key, value]) => paxRecord(key, value))
    .join(''),
});

/** macOS has another tar, which writes fewer formats. */
const isGnuTar = execFileSync('tar', ['--version'], { encoding: 'utf8' }).includes('GNU');

t.test('archives of the tar command in every format, and of git', async (t) => {
  const dir = t.testdir({
    'run.sh': '#!/bin/sh\n',
    'empty.txt': '',
    sub: { 'x y.txt': 'x'.repeat(1000) },
    hollow: {},
  });
  const deep = join(dir, ...Array.from({ length: 9 }, (_, i) => `folder-number-${i}`));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'deep.txt'), 'deep');
  writeFileSync(join(dir, 'n'.repeat(150)), 'long');
  writeFileSync(join(dir, 'héllo.txt'), 'ü');
  chmodSync(join(dir, 'run.sh'), 0o4755);
  symlinkSync('../run.sh', join(dir, 'sub', 'link'));
  symlinkSync(`sub/${'../sub/'.repeat(20)}x y.txt`, join(dir, 'long-link'));
  const deepName = `${deep.slice(dir.length + 1)}/deep.txt`;

  for (const format of isGnuTar ? ['gnu', 'pax', 'ustar', 'v7'] : ['pax', 'ustar']) {
    const skipped =
      format === 'v7'
        ? ['--exclude=folder-number-0', `--exclude=${'n'.repeat(150)}`, '--exclude=long-link']
        : format === 'ustar'
          ? [`--exclude=${'n'.repeat(150)}`, '--exclude=long-link']
          : [];
    for (const what of [['.'], ['run.sh', 'empty.txt', 'sub', 'hollow', 'héllo.txt']]) {
      const bytes = execFileSync('tar', ['-c', `--format=${format}`, ...skipped, '-C', dir, ...what]);
      for (const size of [511, bytes.length]) {
        const got = await read(bytes, size);
        t.match(got.files, { 'run.sh': '#!/bin/sh\n', 'empty.txt': '', 'sub/x y.txt': 'x'.repeat(1000) }, format);
        t.equal(got.files['héllo.txt'], Buffer.from('ü').toString('latin1'));
        t.match(got.modes, { 'run.sh': 0o755, 'empty.txt': 0o644 });
        t.equal(got.links['sub/link'], '../run.sh');
        t.same(got.directories, ['hollow']);
        if (what.length > 1) continue;
        if (format !== 'v7') t.equal(got.files[deepName], 'deep', `${format}: a deep path`);
        if (format === 'gnu' || format === 'pax') {
          t.equal(got.files['n'.repeat(150)], 'long', `${format}: a long name`);
          t.match(got.links['long-link'], /^sub\/\.\.\/sub/);
        }
      }
    }
  }

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...args], { cwd: dir });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  t.match((await read(git('archive', 'HEAD'))).files, { 'run.sh': '#!/bin/sh\n', [deepName]: 'deep' });
});

t.test('archives of another writer come out as they went in', async (t) => {
  const name = fc
    .array(fc.stringMatching(/^[a-z0-9äß 语]{1,60}$/), { minLength: 1, maxLength: 4 })
    .map((p) => p.join('/'));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 1500 }), fc.boolean()), {
        maxLength: 6,
        minLength: 1,
        selector: ([path]) => path.split('/')[0]?.normalize('NFD').toUpperCase(),
      }),
      fc.integer({ min: 1, max: 2000 }),
      async (files, size) => {
        const writer = pack();
        for (const [path, content, executable] of files) {
          writer.entry({ name: `./${path}`, mode: executable ? 0o755 : 0o600 }, Buffer.from(content));
        }
        writer.finalize();
        const got = await read(await buffer(writer), size);
        t.same(
          got.files,
          Object.fromEntries(
            files.map(([path, content]) => [path.normalize('NFC'), Buffer.from(content).toString('latin1')]),
          ),
        );
        t.same(
          got.modes,
          Object.fromEntries(files.map(([path, , executable]) => [path.normalize('NFC'), executable ? 0o755 : 0o644])),
        );
      },
    ),
    { numRuns: 100 },
  );
});

t.test('names: ./ is taken off, NFD becomes NFC, pax and GNU names win over the header', async (t) => {
  const got = await read(
    archive(
      { name: './', type: '5' },
      { name: '.', type: '5' },
      { name: './a', body: 'a' },
      { name: '././/b', body: 'b' },
      { name: './d/', type: '5' },
      { name: 'old/', type: '0', magic: '' },
      { name: 'cafe\u0301', body: 'c' },
      pax({ path: 'from-pax', comment: 'x', 'SCHILY.xattr.user.x': '\xff\xfe' }),
      { name: 'short', body: 'p' },
      { name: '././@LongLink', type: 'L', body: `${'g'.repeat(200)}\0` },
      { name: 'short', body: 'g' },
      { name: 'file', prefix: 'in/prefix', body: 'f' },
      { name: 'file', prefix: 'no/prefix', body: 'f', magic: 'ustar  \0' },
      pax({ size: '3' }),
      { name: 'sized', body: 'abc', size: '00000000000\0' },
      { name: 'base256', body: 'abcd', size: Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]) },
    ),
  );
  t.same(got.files, {
    a: 'a',
    b: 'b',
    café: 'c',
    'from-pax': 'p',
    ['g'.repeat(200)]: 'g',
    'in/prefix/file': 'f',
    file: 'f',
    sized: 'abc',
    base256: 'abcd',
  });
  t.same(got.directories, ['d', 'old']);
});

t.test('a name that is cut off in the header is ignored when a longer one precedes it', async (t) => {
  const long = `${'é'.repeat(60)}.txt`;
  const cut = Buffer.from(long).subarray(0, 99);
  t.throws(() => new TextDecoder('utf8', { fatal: true }).decode(cut), 'cut inside a character');
  for (const record of [{ name: '././@LongLink', type: 'L', body: `${long}\0` }, pax({ path: long })]) {
    t.same((await read(archive(record, { name: cut, body: 'x' }))).files, { [long]: 'x' });
  }
  const links = archive(
    { name: 'f' },
    { name: '././@LongLink', type: 'K', body: `${long}\0` },
    { name: 'l', type: '2', target: cut },
  );
  t.same((await read(links)).links, { l: long });
  if (!isGnuTar) return;
  const dir = t.testdir({ [long]: 'x', ['語'.repeat(50)]: 'y' });
  for (const format of ['gnu', 'pax']) {
    const { files } = await read(execFileSync('tar', ['-c', `--format=${format}`, '-C', dir, '.']));
    t.same(files, { [long]: 'x', ['語'.repeat(50)]: 'y' }, format);
  }
});

t.test('what programs do not read alike is refused', async (t) => {
  const global = (records: Record<string, string>): Raw => ({ ...pax(records), type: 'g' });
  await t.resolves(read(archive(global({ comment: '0123456789' }), { name: 'a' })), 'as git archive writes it');
  for (const key of ['path', 'linkpath', 'size', 'GNU.sparse.name', 'hdrcharset']) {
    const bytes = archive(global({ [key]: '3' }), { name: 'a', body: 'abc' });
    await t.rejects(read(bytes), { name: 'TarError', kind: 'invalid', message: /global/ }, key);
  }
  for (const type of ['x', 'L', 'K']) {
    const record = (name: string) =>
      type === 'x' ? pax({ path: name }) : { name: '././@LongLink', type, body: `${name}\0` };
    const bytes = archive(record('one'), record('two'), { name: 'a' });
    await t.rejects(read(bytes), { name: 'TarError', kind: 'invalid', message: /two extended/ }, type);
  }
  t.same(Object.keys((await read(archive(pax({ path: '' }), { name: 'a' }))).files), ['a'], 'empty takes back');
});

t.test('what our own writer writes is read as it was meant', async (t) => {
  const entry = { type: 'file', mode: 0o755, size: 0, mtime: 1.5, target: '' } as const;
  const paths = ['a', 'x'.repeat(100), 'y'.repeat(101), `${'é'.repeat(80)}/${'z'.repeat(250)}`, 'new\nline'];
  const link = { ...entry, type: 'link', path: 'l', target: `${'x/'.repeat(60)}é` } as const;
  const bytes = Buffer.concat([
    tarComment('for nobody'),
    ...paths.map((path) => tarHeader({ ...entry, path })),
    tarHeader(link),
    tarHeader({ ...entry, type: 'directory', path: 'hollow' }),
    tarEnd(),
  ]);
  const got = await read(bytes, 700);
  t.same(Object.keys(got.files), paths);
  t.same(got.links, { l: link.target });
  t.same(got.directories, ['hollow']);
  const huge = tarHeader({ ...entry, path: 'huge', size: 9 * 1024 ** 3 });
  const refused = { name: 'TarError', kind: 'too_large', message: /"huge"/ };
  await t.rejects(read(Buffer.concat([huge, END])), refused, 'its size stands in front of it');
});

t.test('kinds of entries other than file, directory and link are refused', async (t) => {
  for (const type of ['1', '3', '4', '6', '7', 'S', 'D', 'M', 'V', 'N', 'X', 'A', 'z', '\xff']) {
    await t.rejects(
      read(archive({ name: 'ok', body: 'x' }, { type, target: 'ok' })),
      { name: 'TarError', kind: 'invalid' },
      type,
    );
  }
  const sparse = [pax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0' }), { body: 'x' }];
  await t.rejects(read(archive(...sparse)), { name: 'TarError', kind: 'invalid', message: /sparse/ });

  const dir = t.testdir({ file: 'x' });
  linkSync(join(dir, 'file'), join(dir, 'hard'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  writeFileSync(join(dir, 'holes'), '');
  truncateSync(join(dir, 'holes'), 1_000_000);
  for (const [args, message] of [
    [['file', 'hard'], /hard link/],
    [['pipe'], /pipe/],
    ...(isGnuTar
      ? ([
          [['--sparse', '--format=gnu', 'holes'], /sparse/],
          [['--sparse', '--format=pax', 'holes'], /sparse/],
        ] as const)
      : []),
    [['/dev/null'], /absolute|device/],
  ] as const) {
    const bytes = execFileSync('tar', ['-cPC', dir, ...args]);
    await t.rejects(read(bytes), { name: 'TarError', kind: 'invalid', message }, args.join(' '));
  }
});

t.test('names that leave the folder or meet another are refused', async (t) => {
  const alone = [
    '',
    '/',
    '/tmp/x',
    '//tmp/x',
    '../x',
    'tmp/../../x',
    'a/..',
    '..',
    'a//b',
    'a/./b',
    './../x',
    '.git/config',
    'a/.GIT/x',
    '.git',
    'a/.git/',
    'git~1/config',
    'a/GIT~1',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'a\\.git\\config',
    '.g\u200cit/config',
    '.GI\ufeffT/config',
    '.gi\u00adt/config',
    'x'.repeat(256),
  ];
  for (const name of alone) {
    for (const type of ['0', '5']) {
      const entry = { name: name.length < 100 ? name : 'short', type };
      const entries = name.length < 100 ? [entry] : [pax({ path: name }), entry];
      await t.rejects(
        read(archive({ name: 'ok' }, ...entries)),
        { name: 'TarError', kind: 'invalid' },
        `${JSON.stringify(name)} ${type}`,
      );
    }
  }
  await t.rejects(read(archive({ name: '.', body: 'x' })), { name: 'TarError', kind: 'invalid' });
  await t.rejects(
    read(archive(pax({ path: 'a\0b' }), { body: 'x' })),
    { name: 'TarError', kind: 'invalid' },
    'NUL in a pax path',
  );
  await t.rejects(
    read(archive(pax({ path: `${'d/'.repeat(600)}x` }), {})),
    { name: 'TarError', kind: 'invalid' },
    'a deep path',
  );
  await t.rejects(
    read(archive({ name: Buffer.from([0x61, 0xff]) })),
    { name: 'TarError', kind: 'invalid' },
    'no UTF-8',
  );

  const pairs: [Raw, Raw][] = [
    [{ name: 'a' }, { name: 'a' }],
    [{ name: 'a' }, { name: './a' }],
    [{ name: 'Foo' }, { name: 'foo' }],
    [
      { name: 'Foo/', type: '5' },
      { name: 'foo/', type: '5' },
    ],
    [{ name: 'Foo/x' }, { name: 'foo/y' }],
    [{ name: 'café' }, { name: 'cafe\u0301' }],
    [{ name: 'café/a' }, { name: 'cafe\u0301/b' }],
    [{ name: 'café/', type: '5' }, { name: 'cafe\u0301/b' }],
    [{ name: 'straße' }, { name: 'STRASSE' }],
    [{ name: 'a' }, { name: 'a/b' }],
    [{ name: 'a/', type: '5' }, { name: 'a' }],
    [{ name: 'l', type: '2', target: 'd' }, { name: 'l/x' }],
    [{ name: 'l', type: '2', target: 'd' }, { name: 'L/x' }],
    [
      { name: 'l', type: '2', target: 'd' },
      { name: 'l/', type: '5' },
    ],
    [
      { name: 'l', type: '2', target: 'd' },
      { name: 'l/m', type: '2', target: 'x' },
    ],
    [{ name: 'l', type: '2', target: 'd' }, { name: 'l' }],
  ];
  for (const [first, second] of pairs) {
    const what = `${first.name} and ${second.name}`;
    await t.rejects(read(archive({ name: 'other' }, first, second)), { name: 'TarError', kind: 'invalid' }, what);
    await t.rejects(read(archive({ name: 'other' }, second, first)), { name: 'TarError', kind: 'invalid' }, what);
  }
  t.same((await read(archive({ name: 'd/', type: '5' }, { name: 'd/x' }, { name: 'd/', type: '5' }))).directories, []);
});

t.test('links stay inside the tree, also through other links', async (t) => {
  const inside: Raw[][] = [
    [{ name: 'l', target: 'f' }],
    [{ name: 'l', target: './f' }],
    [{ name: 'l', target: 'not/there' }],
    [{ name: 'a/l', target: '../f' }],
    [{ name: 'a/b/l', target: '../../f' }],
    [{ name: 'a/l', target: '..' }],
    [{ name: 'l', target: '.' }],
    [{ name: 'l', target: 'a/../f' }],
    [{ name: 'l', target: 'l' }],
    [
      { name: 'a/cur', target: '.' },
      { name: 'l', target: 'a/cur/x' },
    ],
    [{ name: 'l', target: 'sub//f/' }],
  ];
  const outside: Raw[][] = [
    [{ name: 'l', target: '' }],
    [{ name: 'l', target: '/etc/passwd' }],
    [{ name: 'l', target: '..' }],
    [{ name: 'l', target: '../f' }],
    [{ name: 'a/l', target: '../../f' }],
    [{ name: 'l', target: 'a/../../f' }],
    [
      { name: 'cur', target: '.' },
      { name: 'par', target: 'cur/..' },
    ],
    [
      { name: 'p/q/l', target: '../..' },
      { name: 'm', target: 'p/q/l/..' },
    ],
    [
      { name: 'm', target: 'p/q/l/..' },
      { name: 'p/q/l', target: '../..' },
    ],
    [
      { name: 'm', target: 'P/Q/L/..' },
      { name: 'p/q/l', target: '../..' },
    ],
    [
      { name: 'd/x', target: '..' },
      { name: 'l', target: 'd' },
      { name: 'm', target: 'l/x/..' },
    ],
  ];
  const withLinks = (links: Raw[]) =>
    archive({ name: 'f', body: 'x' }, ...links.map((link) => ({ ...link, type: '2' })));
  for (const links of inside) {
    const got = await read(withLinks(links));
    t.same(got.links, Object.fromEntries(links.map(({ name, target }) => [name, target])));
  }
  for (const links of outside) {
    const what = links.map(({ name, target }) => `${name} -> ${target}`).join(', ');
    await t.rejects(read(withLinks(links)), { name: 'TarError', kind: 'invalid' }, what);
  }
  const nul = archive({ name: 'f' }, pax({ linkpath: 'f\0' }), { name: 'l', type: '2' });
  await t.rejects(read(nul), { name: 'TarError', kind: 'invalid' });
});

t.test('a damaged archive is refused', async (t) => {
  const good = Buffer.concat([
    raw({ name: 'a', body: 'x'.repeat(700) }),
    raw(pax({ path: 'b' })),
    raw({ body: 'y' }),
    END,
  ]);
  t.same(Object.keys((await read(good)).files), ['a', 'b']);
  for (let length = 0; length < good.length; length += 128) {
    await t.rejects(read(good.subarray(0, length)), { name: 'TarError', kind: 'invalid' }, `cut at ${length}`);
  }
  await t.rejects(
    read(Buffer.concat([good, Buffer.from('x')])),
    { name: 'TarError', kind: 'invalid' },
    'garbage behind',
  );
  await t.rejects(
    read(Buffer.concat([good, archive({ name: 'c' })])),
    { name: 'TarError', kind: 'invalid' },
    'a second archive',
  );
  await t.resolves(read(Buffer.concat([good, Buffer.alloc(8704)])), 'a writer may fill up its last record');

  const bad: Record<string, Raw[] | Buffer> = {
    'no tar at all': Buffer.from('hello '.repeat(500)),
    'a wrong checksum': [{ off: 1 }],
    'a size that is not octal': [{ size: '00000000008\0' }],
    'a size with a sign': [{ size: '-0000000001\0' }],
    'a negative base-256 size': [{ size: Buffer.alloc(12, 0xff) }],
    'a size of 2^80': [{ size: Buffer.from([0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]) }],
    'a directory with content': [{ name: 'd/', type: '5', body: 'x' }],
    'a link with content': [{ type: '2', target: 'x', body: 'x' }],
    'a pax header with nothing behind it': [pax({ path: 'x' })],
    'a long name with nothing behind it': [{ type: 'L', body: 'name\0' }],
    'a pax size that is none': [pax({ size: '1e3' }), { body: 'x' }],
    'a huge pax header': [{ type: 'x', body: paxRecord('comment', 'x'.repeat(1_100_000)) }, {}],
  };
  for (const body of [
    '5 a=b\n',
    '99 a=b\n',
    'x a=b\n',
    '6 a=b',
    '6 ab=\n7',
    '4 a\n',
    '-6 a=b\n',
    '06 a=b\n',
    '6 a=bx',
  ]) {
    bad[`a pax record ${JSON.stringify(body)}`] = [{ type: 'x', body }, { body: 'x' }];
  }
  const oneZeroBlock = Buffer.concat([raw({}), Buffer.alloc(512), raw({ name: 'b' }), END]);
  bad['an end mark of one block'] = oneZeroBlock;
  for (const [name, entries] of Object.entries(bad)) {
    const bytes = Buffer.isBuffer(entries) ? entries : archive({ name: 'ok', body: 'x' }, ...entries);
    await t.rejects(read(bytes), { name: 'TarError', kind: 'invalid' }, name);
  }
});

t.test('limits: nothing to build, too many, too large', async (t) => {
  await t.rejects(read(END), { name: 'TarError', kind: 'empty' });
  await t.rejects(read(archive({ name: 'd/', type: '5' })), { name: 'TarError', kind: 'empty' });
  const many = (count: number) => archive(...Array.from({ length: count }, (_, i) => ({ name: `f${i}` })));
  t.equal(Object.keys((await read(many(1000))).files).length, 1000);
  await t.rejects(read(many(1001)), { name: 'TarError', kind: 'too_many' });
  const folders = Array.from({ length: 1001 }, (_, i) => ({ name: `d${i}/`, type: '5' }));
  await t.rejects(read(archive({ name: 'f' }, ...folders)), { name: 'TarError', kind: 'too_many' });
  const deep = Array.from({ length: 3 }, (_, i) => pax({ path: `${i}/${'d/'.repeat(400)}f` }));
  await t.rejects(read(archive(...deep.flatMap((record) => [record, {}]))), {
    kind: 'too_many',
    message: /1000 folders/,
  });
  const limits = { ...bounds, maxFileBytes: 10, maxTotalBytes: 25 };
  const sized = (...sizes: number[]) => archive(...sizes.map((size, i) => ({ name: `f${i}`, body: 'x'.repeat(size) })));
  await t.resolves(read(sized(10, 10, 5), 100, limits));
  await t.rejects(read(sized(11), 100, limits), { name: 'TarError', kind: 'too_large' });
  await t.rejects(read(sized(10, 10, 6), 100, limits), { name: 'TarError', kind: 'too_large' });
  await t.rejects(
    read(archive({ size: '77777777777\0' })),
    { name: 'TarError', kind: 'too_large' },
    'refused before it is read',
  );
});

t.test('a changed byte in a header never makes anything but an error or another valid tree', async () => {
  const good = archive({ name: 'dir/a', body: 'hello' }, { name: 'l', type: '2', target: 'dir/a' });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: good.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, x) => {
      const copy = Buffer.from(good);
      copy.writeUInt8(copy.readUInt8(at) ^ x, at);
      try {
        const { files } = await read(copy, 700);
        return Object.keys(files).length === 1;
      } catch (error) {
        return error instanceof TarError && error.kind === 'invalid';
      }
    }),
    { numRuns: 1000 },
  );
});
