import type { Build, ListedBuild } from '../../../client/types.js';
import { Link } from '../design/link.js';
import { useWords } from '../words/use-words.js';
import styles from './builds.module.css';
import { firstCommand, repositoryOf, shortCommit } from './source.js';
import { words } from './words.js';

/** Returns the name of what is built. */
export function useBuildName(): (build: Pick<Build, 'repo' | 'repo_url' | 'project'>) => string {
  const w = useWords(words);
  return (build) => repositoryOf(build) ?? build.project ?? w.upload;
}

/** What a build is built from, as a link to it, and its first command below. */
export function BuildName({ build }: { build: ListedBuild }) {
  const nameOf = useBuildName();
  return (
    <div className={styles.name}>
      <span className={styles.title}>
        <Link to="/o/$org/builds/$build_id" params={{ build_id: build.id }}>
          {nameOf(build)}
        </Link>
        <BuildRevision build={build} />
      </span>
      <code className={styles.command}>{firstCommand(build.script_excerpt)}</code>
    </div>
  );
}

/** Branch, commit and pull request; nothing if it has none of them. */
export function BuildRevision({ build }: { build: Build | ListedBuild }) {
  const w = useWords(words);
  const commit = shortCommit(build);
  if (build.ref === null && commit === null && build.pr === null) return null;
  return (
    <span className={styles.revision}>
      {build.ref === null ? null : <span className={styles.ref}>{build.ref}</span>}
      {commit === null ? null : <code>{commit}</code>}
      {build.pr === null ? null : <span>{w.pr(build.pr)}</span>}
    </span>
  );
}
