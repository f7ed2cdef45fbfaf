import type { Build, ListedBuild } from '../../../client/types.js';
import { useSession } from '../data/session.js';
import { Link } from '../design/link.js';
import { useWords } from '../words/use-words.js';
import styles from './builds.module.css';
import { type CodeHostLinks, codeHostLinks } from './code-host-links.js';
import { repositoryOf, shortCommit, titleOf } from './source.js';
import { words } from './words.js';

/** Returns the name of what is built. */
export function useBuildName(): (build: Pick<Build, 'repo' | 'repo_url' | 'project'>) => string {
  const w = useWords(words);
  return (build) => repositoryOf(build) ?? build.project ?? w.upload;
}

/** The message of the commit, or the first command, as a link to the build; below what it is built from. */
export function BuildName({ build }: { build: ListedBuild }) {
  const nameOf = useBuildName();
  const { code_host: codeHost } = useSession();
  return (
    <div className={styles.name}>
      <BuildTitle build={build} />
      <span className={styles.source}>
        <span className={styles.repository}>{nameOf(build)}</span>
        <BuildRevision build={build} codeHost={codeHost} />
      </span>
    </div>
  );
}

/** @param props.stretched the whole row is the link: the row has to be positioned */
export function BuildTitle({ build, stretched = false }: { build: ListedBuild; stretched?: boolean }) {
  const nameOf = useBuildName();
  const title = titleOf(build);
  return (
    <Link
      to="/o/$org/builds/$build_id"
      params={{ build_id: build.id }}
      className={stretched ? styles.stretched : styles.title}
      dir="auto"
      // A drag selects text instead.
      draggable={false}
    >
      {title === '' ? nameOf(build) : title}
    </Link>
  );
}

/** Branch, pull request, commit and author, linked to the code host; nothing if it has none of them. */
export function BuildRevision({ build, codeHost }: { build: Build | ListedBuild; codeHost: string }) {
  const w = useWords(words);
  const commit = shortCommit(build);
  const { ref, pr, commit_author: author } = build;
  if (ref === null && commit === null && pr === null && author === null) return null;
  const links = codeHostLinks(build, codeHost);
  const part = (name: keyof CodeHostLinks, label: string, text: string | null) =>
    text === null ? null : (
      <CodeHostLink to={links[name]} label={`${label}: ${text}`} className={styles[name]}>
        {text}
      </CodeHostLink>
    );
  return (
    <span className={styles.revision}>
      {part('ref', w.ref, ref)}
      {part('pr', w.pullRequest, pr === null ? null : w.pr(pr))}
      {part('commit', w.commit, commit)}
      {part('author', w.author, author)}
    </span>
  );
}

function CodeHostLink({
  to,
  label,
  className,
  children,
}: {
  to: string | null;
  label: string;
  className: string | undefined;
  children: string;
}) {
  if (to === null) {
    return (
      <bdi className={className} title={label}>
        {children}
      </bdi>
    );
  }
  return (
    <a className={className} href={to} target="_blank" rel="noopener noreferrer" title={label}>
      <bdi>{children}</bdi>
    </a>
  );
}
