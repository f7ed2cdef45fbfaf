// The token of a private repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { credentialSettings } from '../../../host-agent/caches/git-credentials.js';
import { failureOf } from './source-fixtures.js';
import { checkOutGit, createCodeHost, files, filesWith, runBeside, start } from './source-git-fixtures.js';

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
  t.match(await failureOf(checkOutGit(mac, host.source('private', { ref: 'elsewhere' }), { gitToken: token })), {
    reasonCode: 'clone_failed',
  });
  t.ok(other.requests.length > 0);
  t.strictSame([...new Set(other.authorizations)], [undefined], 'the other server is shown no password');
});

t.test('each code host gets the user name that it requires with a token', async (t) => {
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
});

/** Collects the arguments of all processes until the returned function is called. */
/** Arguments of every git process and of whatever git started, as git itself wrote them down. */
function tracedProcesses(file: string): string[] {
  const events = readFileSync(file, 'utf8').trimEnd().split('\n');
  return events
    .map((line) => JSON.parse(line) as { argv?: string[] })
    .flatMap(({ argv }) => (argv ? [argv.join(' ')] : []));
}
