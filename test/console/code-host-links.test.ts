// Addresses on the code host of what a build is built from.
import t from 'tap';
import { codeHostLinks } from '../../control-plane/console/builds/code-host-links.js';
import { titleOf } from '../../control-plane/console/builds/source.js';

const none = { repo: null, repo_url: null, ref: null, pr: null, commit: null, commit_sha: null, commit_author: null };
const GITHUB = 'https://github.com';

t.test('a repository of the configured code host', async (t) => {
  const build = { ...none, repo: 'acme/app', ref: 'refs/heads/topic/x y', pr: 12, commit_sha: 'a'.repeat(40) };
  t.same(codeHostLinks({ ...build, commit_author: 'Ada "A" Lovelace' }, GITHUB), {
    repository: 'https://github.com/acme/app',
    ref: 'https://github.com/acme/app/tree/topic/x%20y',
    commit: `https://github.com/acme/app/commit/${'a'.repeat(40)}`,
    pr: 'https://github.com/acme/app/pull/12',
    author: 'https://github.com/search?type=commits&q=repo%3Aacme%2Fapp%20author-name%3A%22Ada%20A%20Lovelace%22',
  });
  t.match(codeHostLinks(build, 'https://git.acme.example'), { pr: 'https://git.acme.example/acme/app/pull/12' });
});

t.test('addresses of other hosts, and builds without one', async (t) => {
  const at = (repo_url: string) =>
    codeHostLinks({ ...none, repo_url, ref: 'main', pr: 7, commit: 'abc', commit_author: 'Ada' }, GITHUB);
  t.same(at('https://gitlab.com/acme/mobile/app.git'), {
    repository: 'https://gitlab.com/acme/mobile/app',
    ref: 'https://gitlab.com/acme/mobile/app/-/tree/main',
    commit: 'https://gitlab.com/acme/mobile/app/-/commit/abc',
    pr: 'https://gitlab.com/acme/mobile/app/-/merge_requests/7',
    author: 'https://gitlab.com/acme/mobile/app/-/commits?author=Ada',
  });
  t.match(at('https://bitbucket.org/acme/app'), { pr: 'https://bitbucket.org/acme/app/pull-requests/7', author: null });
  t.same(codeHostLinks({ ...none, repo: 'acme/app' }, GITHUB), { ...all(null), repository: `${GITHUB}/acme/app` });
  for (const odd of ['javascript:alert(1)', 'git@host:acme/app', 'ssh://host/app']) t.same(at(odd), all(null), odd);
  t.same(codeHostLinks(none, GITHUB), all(null), 'an upload');
});

const all = (value: null) => ({ repository: value, ref: value, commit: value, pr: value, author: value });

t.test('the title of a build', async (t) => {
  const script = 'set -e\nmake test\n';
  t.equal(titleOf({ commit_title: 'Round the total', script_excerpt: script }), 'Round the total');
  t.equal(titleOf({ commit_title: null, script_excerpt: script }), 'make test');
  t.equal(titleOf({ commit_title: '', script_excerpt: script }), 'make test', 'a commit without a message');
});
