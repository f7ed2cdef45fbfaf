import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { credentialSettings } from '../../../host-agent/caches/git-credentials.js';
import { gitErrorKind, gitFailure } from '../../../host-agent/caches/git-failure.js';
import { GitError } from '../../../host-agent/caches/git-process.js';
import { checkRemote } from '../../../host-agent/caches/git-remote.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { runs } from '../../harness/soak.js';
import { failureOf, look, stamps, upload } from './source-fixtures.js';
import {
  type CodeHost,
  checkOutGit,
  createCodeHost,
  files,
  filesWith,
  run,
  runBeside,
  start,
} from './source-git-fixtures.js';

t.test('a repository is checked out at a branch, a tag, a commit or a pull request', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { 'a.txt': 'one', 'bin/run': '#!/bin/sh\n', 'ünï/日本.txt': 'name' });
  run(app.path, 'tag', '-m', 'first', 'v1', one);
  run(app.path, 'tag', 'light', one);
  const two = app.commit('main', { 'a.txt': 'two' });
  const topic = app.commit('topic/x', { 'a.txt': 'topic' });
  const both = app.commit('both', { 'a.txt': 'branch' });
  run(app.path, 'tag', 'both', one);
  const pull = app.commit('tmp', { 'a.txt': 'pull' });
  app.point('refs/pull/7/head', pull);
  app.point('refs/pull/7/merge', one);
  app.point('refs/merge-requests/8/head', pull);
  app.point('refs/pull-requests/9/from', pull);
  app.drop('refs/heads/tmp');

  const targets: [Parameters<CodeHost['source']>[1], string, string][] = [
    [{}, two, 'two'],
    [{ ref: 'main' }, two, 'two'],
    [{ ref: 'HEAD' }, two, 'two'],
    [{ ref: 'topic/x' }, topic, 'topic'],
    [{ ref: 'heads/topic/x' }, topic, 'topic'],
    [{ ref: 'refs/heads/topic/x' }, topic, 'topic'],
    [{ ref: 'v1' }, one, 'one'],
    [{ ref: 'light' }, one, 'one'],
    [{ ref: 'refs/tags/v1' }, one, 'one'],
    [{ ref: 'both' }, both, 'branch'],
    [{ ref: 'refs/tags/both' }, one, 'one'],
    [{ ref: one }, one, 'one'],
    [{ commit: one }, one, 'one'],
    [{ commit: one.toUpperCase() }, one, 'one'],
    [{ commit: one.slice(0, 7) }, one, 'one'],
    [{ commit: topic.slice(0, 12), ref: 'main' }, topic, 'topic'],
    [{ commit: pull, pr: 7 }, pull, 'pull'],
    [{ commit: pull.slice(0, 10), pr: 7 }, pull, 'pull'],
    [{ pr: 7 }, pull, 'pull'],
    [{ pr: 8 }, pull, 'pull'],
    [{ pr: 9 }, pull, 'pull'],
    [{ ref: 'refs/pull/7/merge' }, one, 'one'],
  ];
  for (const fresh of [false, true]) {
    host.oldProtocol = fresh;
    // The default run tests a third of them with an old server and half, mostly different ones, with a current one.
    const some = targets.filter((_, at) => (fresh ? at % runs(3, 1) === 0 : at % runs(2, 1) === runs(1, 0)));
    for (const [target, commit, content] of some) {
      const name = `${JSON.stringify(target)}${fresh ? ', first build, from an old server' : ''}`;
      if (fresh) rmSync(join(mac.root, 'cache'), { recursive: true });
      const checkout = await checkOutGit(mac, host.source('app', target), { cleanTree: fresh });
      t.equal(checkout.commit, commit, name);
      t.strictSame(
        files(mac.work),
        { 'a.txt': content, 'bin/run': '#!/bin/sh\n +x', 'ünï/日本.txt': 'name' },
        name,
      );
    }
  }
  t.equal(run(mac.work, 'rev-parse', 'HEAD'), one);
});

t.test('the .git of the work folder is self-contained', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one' });
  run(app.path, 'tag', '-m', 'first', 'v1', one);
  const two = app.commit('main', { a: 'two', b: 'b' });
  await checkOutGit(mac, host.source('app'));
  rmSync(join(mac.root, 'cache'), { recursive: true });
  rmSync(join(mac.root, 'mac/state'), { recursive: true });
  renameSync(host.root, `${host.root}-away`);

  t.equal(run(mac.work, 'status', '--porcelain'), '');
  t.equal(run(mac.work, 'rev-parse', 'HEAD'), two);
  t.equal(run(mac.work, 'describe', '--tags'), `v1-1-g${two.slice(0, 7)}`);
  t.equal(run(mac.work, 'show', 'v1:a'), 'one');
  t.equal(run(mac.work, 'rev-list', '--count', 'HEAD'), '2');
  t.equal(run(mac.work, 'remote', 'get-url', 'origin'), `${host.origin}/app`);
  t.throws(() => run(mac.work, 'symbolic-ref', 'HEAD'), 'detached');
  run(mac.work, 'fsck', '--full', '--strict');
  writeFileSync(join(mac.work, 'a'), 'changed');
  run(mac.work, 'commit', '-qam', 'of the build');
  run(mac.work, 'gc', '-q');
  renameSync(`${host.root}-away`, host.root);
  await runBeside(mac.work, {}, 'fetch', '-q', 'origin');
  t.equal(run(mac.work, 'rev-parse', 'origin/main'), two);
});

t.test('the next build changes only what the commits changed', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  app.commit('main', { 'keep/a': 'a', 'keep/b': 'b', change: '1', 'gone/x': 'x', 'gone/y': 'y' });
  const first = await checkOutGit(mac, host.source('app'));
  t.match(first, { changed: 5, removed: 0, bytes: 5 });
  writeFileSync(join(mac.work, 'gone/product.o'), 'product');
  mkdirSync(join(mac.work, 'build'));
  writeFileSync(join(mac.work, 'build/product.o'), 'product');
  utimesSync(join(mac.work, 'keep/b'), 1_000_000_000, 1_000_000_000);
  const kept = ['keep/a', 'keep/b', 'build/product.o'];
  const before = stamps(mac.work, kept);

  app.commit('main', { change: '22', 'new/file': 'new', 'gone/x': null, 'gone/y': null });
  t.match(await checkOutGit(mac, host.source('app')), { changed: 2, removed: 2, bytes: 5 });
  const expected = {
    'build/product.o': 'product',
    change: '22',
    'gone/product.o': 'product',
    'keep/a': 'a',
    'keep/b': 'b',
    'new/file': 'new',
  };
  t.strictSame(files(mac.work), expected);
  t.strictSame(stamps(mac.work, kept), before, 'also one that was only touched');

  const asked = host.requests.length;
  t.match(await checkOutGit(mac, host.source('app')), { changed: 0, removed: 0, bytes: 0 });
  t.notOk(
    host.requests.slice(asked).some((request) => host.requests.length - asked > 3 || /receive/.test(request)),
  );

  await checkOutGit(mac, host.source('app'), { cleanTree: true });
  t.strictSame(Object.keys(files(mac.work)), ['change', 'keep/a', 'keep/b', 'new/file']);

  await mac.checkOut(upload({ change: 'by upload' }));
  t.strictSame(look(mac.work), { change: 'by upload' }, 'an upload starts from an empty folder');
  await checkOutGit(mac, host.source('app'));
  t.strictSame(Object.keys(files(mac.work)), ['change', 'keep/a', 'keep/b', 'new/file']);
  host.upstream('other').commit('main', { other: 'o' });
  await checkOutGit(mac, host.source('other'));
  t.strictSame(files(mac.work), { other: 'o' }, 'and so does another repository');
});

t.test('branches are force-pushed, deleted, renamed, and tags are moved', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one', b: 'b' });
  const two = app.commit('main', { a: 'two', c: 'c' });
  app.point('refs/tags/moving', one);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'main' }))).commit, two);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'moving' }))).commit, one);
  app.point('refs/heads/main', one);
  const forced = app.commit('main', { a: 'forced' });
  app.point('refs/tags/moving', forced);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'main' }))).commit, forced);
  t.strictSame(files(mac.work), { a: 'forced', b: 'b' });
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'moving' }))).commit, forced);
  t.equal(
    (await checkOutGit(mac, host.source('app', { commit: two }))).commit,
    two,
    'what was pushed over is still here',
  );

  app.point('refs/heads/feature', one);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'feature' }))).commit, one);
  app.drop('refs/heads/feature');
  t.match(await failureOf(checkOutGit(mac, host.source('app', { ref: 'feature' }))), {
    step: 'source',
    reasonCode: 'commit_not_found',
    fault: 'customer',
    message: 'The repository has no branch or tag feature.',
  });
  app.point('refs/heads/feature/deep', two);
  t.equal(
    (await checkOutGit(mac, host.source('app', { ref: 'feature/deep' }))).commit,
    two,
    'a name below the old one',
  );
});

t.test('missing repositories, refs and commits are reported as missing', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one' });
  host.upstream('empty');
  const tree = run(app.path, 'rev-parse', `${one}^{tree}`);
  app.point('refs/tags/tree', tree);
  const missing: [string, Parameters<CodeHost['source']>[1], RegExp][] = [
    ['app', { ref: 'nope' }, /no branch or tag nope/],
    ['app', { ref: 'refs/heads/nope' }, /no branch or tag refs\/heads\/nope/],
    ['app', { ref: 'ain' }, /no branch or tag ain/],
    ['app', { ref: 'tree' }, /refs\/tags\/tree is not a commit/],
    ['app', { pr: 12 }, /no ref for pull request 12.*bitbucket\.org/],
    ['app', { commit: 'f'.repeat(40) }, /no commit f{40}/],
    ['app', { commit: 'fffffff' }, /no commit fffffff/],
    ['app', { commit: tree }, /no commit/],
    ['app', { commit: tree.slice(0, 8) }, /no commit/],
    ['app', { ref: 'f'.repeat(40) }, /no commit f{40}/],
    ['empty', {}, /The repository is empty/],
  ];
  for (const oldProtocol of [false, true]) {
    host.oldProtocol = oldProtocol;
    const some = oldProtocol ? missing.filter((_, at) => at % runs(3, 1) === 0) : missing;
    for (const [name, target, message] of some) {
      const failure = await failureOf(checkOutGit(mac, host.source(name, target)));
      t.match(
        failure,
        { reasonCode: 'commit_not_found', fault: 'customer', message },
        JSON.stringify(target),
      );
    }
  }
  const failure = await failureOf(checkOutGit(mac, host.source('nowhere')));
  t.match(failure, { reasonCode: 'clone_failed', fault: 'customer', message: /GIT_TOKEN/ });
});

t.test('an ambiguous short commit is refused, and a branch of that name is not a commit', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one' });
  const two = app.commit('main', { a: 'two' });
  app.point(`refs/heads/${one.slice(0, 8)}`, two);
  t.equal((await checkOutGit(mac, host.source('app', { ref: one.slice(0, 8) }))).commit, two);
  t.equal((await checkOutGit(mac, host.source('app', { commit: one.slice(0, 8) }))).commit, one);

  const twins = twinCommits(app.path, one);
  for (const [n, twin] of twins.entries()) app.point(`refs/heads/twin${n}`, twin);
  const [first = '', second = ''] = twins;
  t.not(first, second);
  t.match(await failureOf(checkOutGit(mac, host.source('app', { commit: first.slice(0, 7) }))), {
    reasonCode: 'commit_not_found',
    fault: 'customer',
    message: /More than one commit/,
  });
  t.equal((await checkOutGit(mac, host.source('app', { commit: second }))).commit, second);
});

/** Two commits whose names begin with the same seven digits. */
function twinCommits(repository: string, like: string): string[] {
  const text = run(repository, 'cat-file', 'commit', like);
  const seen = new Map<string, string>();
  for (let n = 0; ; n += 1) {
    const body = `${text} ${n}\n`;
    const id = createHash('sha1')
      .update(`commit ${Buffer.byteLength(body)}\0${body}`)
      .digest('hex');
    const twin = seen.get(id.slice(0, 7));
    seen.set(id.slice(0, 7), body);
    if (twin === undefined) continue;
    return [twin, body].map((content) => {
      writeFileSync(`${repository}-twin`, content);
      return run(repository, 'hash-object', '-t', 'commit', '-w', `${repository}-twin`);
    });
  }
}

t.test('names and URLs that git could misinterpret are refused before git sees them', async (t) => {
  const { mac, host } = await start(t);
  host.upstream('app').commit('main', { a: 'a' });
  const refs = [
    '',
    '-u',
    '--upload-pack=touch /tmp/x',
    'a b',
    'a..b',
    'a:b',
    '+main',
    'main^',
    'main~1',
    'a?',
    'a*',
    '[a]',
    'a\\b',
    'a\nb',
    'a\0b',
    '@',
    'a@{1}',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.lock',
    'a.',
    'x'.repeat(1001),
  ];
  for (const ref of refs.filter((name) => name !== '+main')) {
    const failure = await failureOf(checkOutGit(mac, host.source('app', { ref })));
    t.match(failure, { reasonCode: 'commit_not_found', fault: 'customer' }, JSON.stringify(ref));
  }
  t.match(await failureOf(checkOutGit(mac, host.source('app', { ref: '+main' }))), {
    message: /no branch or tag/,
  });
  for (const commit of ['', 'abc', '-abcdef1', 'HEAD', 'main', `${'a'.repeat(41)}`, 'abcdefg']) {
    t.match(await failureOf(checkOutGit(mac, host.source('app', { commit }))), {
      reasonCode: 'commit_not_found',
    });
  }
  t.strictSame(
    host.requests.filter((request) => !request.includes('/app/')),
    [],
  );

  const urls = [
    '',
    'main',
    '/etc',
    './repo',
    '../repo',
    '-x',
    '--upload-pack=x',
    'ssh://git@github.com/a/b',
    'git@github.com:a/b',
    'git://github.com/a/b',
    'ext::sh -c touch% /tmp/x',
    'fd::0',
    'ftp://github.com/a/b',
    'http://github.com/a/b',
    'http://169.254.169.254/a',
    'https://user@github.com/a/b',
    'https://user:secret@github.com/a/b',
    'https://:secret@github.com/a/b',
    'https://github.com/a/b?x=1',
    'https://github.com/a/b#x',
    'https://github.com/a b',
    'https://github.com/a\nb',
    'https://github.com/%0ahost=evil',
    'https://github.com\\@evil.example/a',
    'https://',
    'https:',
    'file:///etc',
    'javascript:alert(1)',
    'HTTPS ://x',
  ];
  for (const url of urls) {
    for (const protocols of [[], ['http']]) {
      const source = { kind: 'git' as const, url, ref: null, commit: null, pr: null };
      const over = { gitProtocols: protocols.includes('http') ? (['http'] as const) : [] };
      const failure = await failureOf(checkOutGit(mac, source, over));
      t.match(failure, { reasonCode: 'clone_failed', fault: 'customer', message: /is not allowed/ }, url);
    }
  }
  t.match(await failureOf(checkOutGit(mac, host.source('app'), { gitProtocols: [] })), {
    message: /is not allowed/,
  });
  t.strictSame(checkRemote('https://github.com:8443/a/b.git', []).origin, 'https://github.com:8443');
});

t.test('a private repository is read with the token, which is sent nowhere else', async (t) => {
  const { mac, host } = await start(t);
  const other = await createCodeHost(t, join(mac.root, 'other-host'));
  const token = 'ghp_S3cretTokenOfTheAccount';
  const app = host.upstream('private');
  app.commit('main', { a: 'private' });
  host.password = `x-access-token:${token}`;

  for (const gitToken of [null, '', 'wrong']) {
    t.match(await failureOf(checkOutGit(mac, host.source('private'), { gitToken })), {
      reasonCode: 'clone_failed',
      fault: 'customer',
      message: /GIT_TOKEN/,
    });
  }
  for (const gitToken of ['two\nlines', 'a\0b', 'a\rb']) {
    t.match(await failureOf(checkOutGit(mac, host.source('private'), { gitToken })), {
      reasonCode: 'clone_failed',
    });
  }

  const trace = join(mac.root, 'trace');
  const gitEnv = { GIT_TRACE2_EVENT: trace, GIT_TRACE2_REDACT: '0' };
  const checkout = await checkOutGit(mac, host.source('private'), { gitToken: `${token}\n`, gitEnv });
  app.commit('main', { a: 'more' });
  await checkOutGit(mac, host.source('private'), { gitToken: token, gitEnv });
  const processes = tracedProcesses(trace);
  t.match(checkout.commit, /^[0-9a-f]{40}$/);
  t.strictSame(files(mac.work), { a: 'more' });
  t.ok(
    processes.some((argv) => argv.includes('ls-remote')),
    'git was watched',
  );
  t.ok(
    processes.some((argv) => argv.includes('printf') && argv.includes('CIDERMILL_GIT_TOKEN')),
    'and so was the helper',
  );
  t.strictSame(
    processes.filter((argv) => argv.includes(token)),
    [],
    'never in arguments',
  );
  for (const folder of ['mac', 'cache']) {
    t.strictSame(filesWith(join(mac.root, folder), token), [], 'never on disk');
  }
  t.notMatch(mac.said.join('\n'), token);

  // The build's own git reads the token from the build's environment.
  const config = readFileSync(join(mac.work, '.git/config'), 'utf8');
  t.match(config, `[credential "${host.origin}"]`);
  await runBeside(mac.work, { GIT_TOKEN: token }, 'fetch', 'origin');

  host.password = 'someone:pass:word';
  await checkOutGit(mac, host.source('private'), { gitToken: 'someone:pass:word', cleanTree: true });
  await runBeside(mac.work, { GIT_TOKEN: 'someone:pass:word' }, 'fetch', 'origin');
  await t.rejects(runBeside(mac.work, {}, 'fetch', 'origin'));

  // A redirect to another server does not get the token.
  other.password = 'anybody:anything';
  other.upstream('private').commit('main', { a: 'trap' });
  host.intercept = (request, response) => {
    response.writeHead(302, { location: `${other.origin}${request.url}` }).end();
    return true;
  };
  t.match(
    await failureOf(checkOutGit(mac, host.source('private', { ref: 'elsewhere' }), { gitToken: token })),
    {
      reasonCode: 'clone_failed',
    },
  );
  t.ok(other.requests.length > 0);
  t.strictSame([...new Set(other.authorizations)], [undefined], 'the other server is shown no password');
});

t.test('each code host gets the user name that it requires with a token', (t) => {
  const users = {
    'https://github.com': 'x-access-token',
    'https://gitlab.com': 'oauth2',
    'https://bitbucket.org': 'x-token-auth',
  };
  for (const [origin, user] of Object.entries(users)) {
    const { config, env } = credentialSettings(origin, 'tok');
    t.strictSame(env, { CIDERMILL_GIT_USER: user, CIDERMILL_GIT_TOKEN: 'tok' });
    t.equal(config[1]?.[0], `credential.${origin}.helper`);
    t.notMatch(config.join(), 'tok,');
  }
  t.strictSame(credentialSettings('https://github.com', 'me:tok:en').env, {
    CIDERMILL_GIT_USER: 'me',
    CIDERMILL_GIT_TOKEN: 'tok:en',
  });
  t.end();
});

/** Collects the arguments of all processes until the returned function is called. */
/** Arguments of every git process and of whatever git started, as git itself wrote them down. */
function tracedProcesses(file: string): string[] {
  const events = readFileSync(file, 'utf8').trimEnd().split('\n');
  return events
    .map((line) => JSON.parse(line) as { argv?: string[] })
    .flatMap(({ argv }) => (argv ? [argv.join(' ')] : []));
}

t.test('a failing code host is retried, and then it is nobody’s fault', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  app.commit('main', { a: 'a', b: 'x'.repeat(100_000) });
  const limits = { ...defaultSourceLimits, retryBaseMs: 1, retryMaxMs: 1, gitAttempts: 3 };
  const troubles: Record<string, CodeHost['intercept']> = {
    'answers 500': (_, response) => {
      response.writeHead(500).end('oops');
      return true;
    },
    'answers 429': (_, response) => {
      response.writeHead(429).end('slow down');
      return true;
    },
    'closes the connection': (request) => {
      request.socket.destroy();
      return true;
    },
    'breaks off the transfer': (request, response) => {
      if (request.method !== 'POST') return false;
      const write = response.write.bind(response);
      let pieces = 0;
      response.write = (chunk: string | Uint8Array) => {
        pieces += 1;
        if (pieces > 1) response.destroy();
        return write(chunk);
      };
      return false;
    },
  };
  for (const [trouble, intercept] of Object.entries(troubles)) {
    let left = 2;
    host.intercept = (request, response) => {
      left -= 1;
      return left >= 0 && intercept(request, response);
    };
    if (trouble !== 'breaks off the transfer') {
      await checkOutGit(mac, host.source('app'), { limits, cleanTree: true });
      t.equal(files(mac.work).a, 'a', `${trouble} twice`);
      rmSync(join(mac.root, 'cache'), { recursive: true });
    }
    host.intercept = intercept;
    t.match(
      await failureOf(checkOutGit(mac, host.source('app'), { limits, cleanTree: true })),
      { reasonCode: 'network_error', fault: 'platform', message: /Run the build again/ },
      trouble,
    );
  }
  host.intercept = () => false;
  await checkOutGit(mac, host.source('app'));
  t.equal(files(mac.work).a, 'a');
  const nobody = { ...host.source('app'), url: 'http://127.0.0.1:1/app' };
  t.match(await failureOf(checkOutGit(mac, nobody, { limits })), { reasonCode: 'network_error' });
});

t.test('error messages of git are classified', (t) => {
  const words: [string, ReturnType<typeof gitErrorKind>, string][] = [
    [
      "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
      'authentication',
      'clone_failed',
    ],
    [
      'remote: Support for password authentication was removed.\nfatal: Authentication failed for',
      'authentication',
      'clone_failed',
    ],
    [
      "remote: Repository not found.\nfatal: repository 'https://github.com/a/b/' not found",
      'not_found',
      'clone_failed',
    ],
    [
      "remote: The project you were looking for could not be found or you don't have permission to view it.",
      'not_found',
      'clone_failed',
    ],
    [
      "fatal: unable to access 'https://x/': The requested URL returned error: 403",
      'authentication',
      'clone_failed',
    ],
    [
      "fatal: unable to access 'https://x/': The requested URL returned error: 503",
      'network',
      'network_error',
    ],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'network', 'network_error'],
    [
      "fatal: unable to access 'https://x/': SSL certificate problem: unable to get local issuer certificate",
      'certificate',
      'network_error',
    ],
    [
      'error: RPC failed; curl 56 GnuTLS recv error\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
      'network',
      'network_error',
    ],
    ['error: RPC failed; curl 28 Operation too slow. Less than 1000 bytes/sec', 'network', 'network_error'],
    [
      'fatal: write error: No space left on device\nfatal: the remote end hung up',
      'disk_full',
      'host_disk_full',
    ],
    ["fatal: couldn't find remote ref refs/heads/x", 'ref_missing', 'clone_failed'],
    ['error: Server does not allow request for unadvertised object abc', 'ref_missing', 'clone_failed'],
    ['error: inflate: data stream error (incorrect header check)', 'damaged', 'clone_failed'],
    ['fatal: packed object abc (stored in x.pack) is corrupt', 'damaged', 'clone_failed'],
    ['fatal: something nobody has ever seen', 'other', 'clone_failed'],
  ];
  for (const [said, trouble, reasonCode] of words) {
    const error = new GitError('fetch', said, { local: false });
    t.equal(gitErrorKind(error), trouble, said);
    t.match(gitFailure(error, 'https://x/y', true), { reasonCode }, said);
  }
  const failure = gitFailure(
    new GitError('fetch', `remote: \x1b[31m${'x'.repeat(5000)}\nfatal: \x1b]0;title\x07no\n`, {
      local: false,
    }),
    'https://x',
    true,
  );
  t.ok(failure instanceof Error && failure.message.length < 600 && !/[\x00-\x1f]/.test(failure.message));
  t.end();
});

/** A .gitmodules file: path, URL and further lines of each submodule. */
const modules = (lines: [string, string, string?][]) =>
  lines
    .map(([path, url, more]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n${more ?? ''}`)
    .join('');

t.test('submodules on the same server are checked out too, others are named', async (t) => {
  const { mac, host } = await start(t);
  const elsewhere = await createCodeHost(t, join(mac.root, 'elsewhere'));
  const token = 'token-of-the-account';
  host.password = `x-access-token:${token}`;
  const leaf = host.upstream('group/leaf');
  const leaf1 = leaf.commit('main', { leaf: '1' });
  const leaf2 = leaf.commit('main', { leaf: '2', more: 'm' });
  const middle = host.upstream('group/middle');
  const leafModule = '[submodule "leaf"]\n\tpath = in/leaf\n\turl = ../leaf\n';
  const middle1 = middle.commit('main', { '.gitmodules': leafModule, middle: 'm' }, { 'in/leaf': leaf1 });
  elsewhere.upstream('x').commit('main', { x: 'x' });

  const app = host.upstream('group/app');
  const addresses: [string, string, string?][] = [
    ['relative', '../middle'],
    ['absolute', `${host.origin}/group/leaf`],
    ['scp', 'git@127.0.0.1:group/leaf'],
    ['ssh', 'ssh://git@127.0.0.1/group/leaf'],
    ['none', '../leaf', '\tupdate = none\n'],
    ['away', `${elsewhere.origin}/x`],
    ['awayssh', 'git@github.com:a/b.git'],
    ['ext', 'ext::sh -c touch% /tmp/x'],
    ['local', mac.root],
    ['option', '--upload-pack=touch /tmp/x'],
  ];
  const links = Object.fromEntries(addresses.map(([path]) => [path, path === 'relative' ? middle1 : leaf1]));
  const one = app.commit(
    'main',
    { '.gitmodules': modules(addresses), a: 'app', b: 'b' },
    { ...links, 'without-address': leaf1 },
  );

  const checkOut = () => checkOutGit(mac, host.source('group/app'), { gitToken: token });
  t.match(await checkOut(), { commit: one });
  const contents = () =>
    Object.fromEntries(Object.entries(files(mac.work)).filter(([path]) => !path.endsWith('.gitmodules')));
  t.strictSame(contents(), {
    a: 'app',
    b: 'b',
    'absolute/leaf': '1',
    away: 'folder',
    awayssh: 'folder',
    ext: 'folder',
    local: 'folder',
    none: 'folder',
    option: 'folder',
    'relative/in/leaf/leaf': '1',
    'relative/middle': 'm',
    'scp/leaf': '1',
    'ssh/leaf': '1',
    'without-address': 'folder',
  });
  for (const path of ['away', 'awayssh', 'ext', 'local', 'option']) {
    t.match(mac.warned.join('\n'), `The submodule ${path} is empty: `);
  }
  t.strictSame(elsewhere.requests, [], 'no other server is asked');
  t.equal(run(mac.work, 'status', '--porcelain'), '');
  t.equal(run(join(mac.work, 'relative/in/leaf'), 'rev-parse', 'HEAD'), leaf1);
  t.match(run(mac.work, 'submodule', 'status', 'absolute'), leaf1);

  // The next build: one moved, one tampered with, one replaced by a link, one gone, one became a file.
  const outside = join(mac.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'leaf'), 'not yours');
  writeFileSync(join(mac.work, 'relative/in/leaf/leaf'), 'tampered');
  writeFileSync(join(mac.work, 'relative/.git/config'), `[core]\n\tfsmonitor = touch ${mac.root}/evil\n`);
  writeFileSync(join(mac.work, 'absolute/product'), 'p');
  rmSync(join(mac.work, 'scp'), { recursive: true });
  symlinkSync(outside, join(mac.work, 'scp'));
  const fewer = modules(addresses.filter(([path]) => path !== 'ssh' && path !== 'none'));
  app.commit('main', { '.gitmodules': fewer }, { absolute: leaf2, ssh: null, none: null });
  const two = app.commit('main', { none: 'a file now' });
  t.match(await checkOut(), { commit: two });
  t.match(contents(), {
    'absolute/leaf': '2',
    'absolute/more': 'm',
    'absolute/product': 'p',
    none: 'a file now',
    'relative/in/leaf/leaf': '1',
    'scp/leaf': '1',
  });
  t.notOk(existsSync(join(mac.work, 'ssh')));
  t.strictSame(look(outside), { leaf: 'not yours' });
  t.notOk(existsSync(join(mac.root, 'evil')));
  t.strictSame(filesWith(join(mac.root, 'mac'), token), []);
});

t.test('submodules nested without end, or without a repository, fail the build', async (t) => {
  const { mac, host } = await start(t);
  const token = 'token-of-the-account';
  host.password = `x-access-token:${token}`;
  const endless = host.upstream('endless');
  let inner = endless.commit('main', { '.gitmodules': modules([['again', '../endless']]) });
  for (let depth = 0; depth < 8; depth += 1) {
    inner = endless.commit('main', { depth: `${depth}` }, { again: inner });
  }
  t.match(await failureOf(checkOutGit(mac, host.source('endless'), { gitToken: token })), {
    reasonCode: 'clone_failed',
    fault: 'customer',
    message: /levels/,
  });
  const missing = host.upstream('missing');
  missing.commit('main', { '.gitmodules': modules([['sub', '../nowhere']]) }, { sub: inner });
  t.match(await failureOf(checkOutGit(mac, host.source('missing'), { gitToken: token })), {
    reasonCode: 'clone_failed',
    message: /nowhere/,
  });
});
