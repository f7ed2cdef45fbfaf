// What is missing, ambiguous, or could be misread, is refused with its reason.
// Runs in: soak
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { gitErrorKind, gitFailure } from '../../../host-agent/caches/git-failure.js';
import { GitError } from '../../../host-agent/caches/git-process.js';
import { checkRemote } from '../../../host-agent/caches/git-remote.js';
import { defaultSourceLimits } from '../../../host-agent/limits.js';
import { runs } from '../../harness/soak.js';
import { failureOf } from './source-fixtures.js';
import { type CodeHost, checkOutGit, files, run, start } from './source-git-fixtures.js';

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
      t.match(failure, { reasonCode: 'commit_not_found', fault: 'customer', message }, JSON.stringify(target));
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

t.test('requests to a failing code host are repeated; the failure is not counted to the customer', async (t) => {
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
      {
        reasonCode: 'network_error',
        fault: 'unknown',
        message: /^The code host 127\.0\.0\.1:\d+ (?:failed|could not be reached) .* as an upload/,
      },
      trouble,
    );
  }
  host.intercept = () => false;
  await checkOutGit(mac, host.source('app'));
  t.equal(files(mac.work).a, 'a');
  const nobody = { ...host.source('app'), url: 'http://127.0.0.1:1/app' };
  t.match(await failureOf(checkOutGit(mac, nobody, { limits })), {
    reasonCode: 'network_error',
    fault: 'unknown',
    message: /^The code host 127\.0\.0\.1:1 could not be reached \(.*as an upload instead\.$/,
  });
});

t.test('error messages of git are classified', async (t) => {
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
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'authentication', 'clone_failed'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 503", 'network', 'network_error'],
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
    ['fatal: write error: No space left on device\nfatal: the remote end hung up', 'disk_full', 'host_disk_full'],
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
});
