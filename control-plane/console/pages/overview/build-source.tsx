import type { Build } from '../../../../client/types.js';
import { Link } from '../../design/link.js';
import { useWords } from '../../words/use-words.js';
import styles from './overview.module.css';
import { words } from './words.js';

/** What a build is of, as a link to it, with the first line of its script. */
export function BuildSource({ build }: { build: Build }) {
  const { builds: w } = useWords(words);
  const where = build.repo ?? build.repo_url?.replace(/^https:\/\/|\.git$/g, '') ?? w.upload;
  const what = [build.pr === null ? null : w.pr(build.pr), build.ref, build.commit_sha?.slice(0, 7)]
    .filter(Boolean)
    .join(' · ');
  return (
    <div className={styles.source}>
      <Link to="/o/$org/builds/$build_id" params={{ build_id: build.id }}>
        {where}
      </Link>
      <span className={styles.detail}>
        {what ? `${what} · ` : ''}
        <code>{build.script.trim().split('\n', 1)[0]?.slice(0, 80)}</code>
      </span>
    </div>
  );
}
