// The side bar of pages that belong to no organization: where the person can go.
import Building from 'lucide-react/icons/building-2';
import Server from 'lucide-react/icons/server';
import { useSession } from '../data/session.js';
import { Link } from '../design/link.js';
import { useWords } from '../words/use-words.js';
import styles from './side-bar.module.css';
import { words } from './words.js';

export function SideBarPlaces({ onFollow }: { onFollow?(): void }) {
  const w = useWords(words);
  const { organizations, user } = useSession();
  return (
    <>
      {organizations.length > 0 ? (
        <div className={styles.group}>
          <p className={styles.heading} id="nav-places">
            {w.nav.organizations}
          </p>
          <ul aria-labelledby="nav-places" className={styles.list}>
            {organizations.map(({ slug, name }) => (
              <li key={slug}>
                <Link to="/o/$org" params={{ org: slug }} className={styles.link} onClick={onFollow}>
                  <Building aria-hidden />
                  <span className={styles.name}>{name}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {user.operator ? (
        <div className={styles.group}>
          <Link to="/operator" className={styles.link} onClick={onFollow}>
            <Server aria-hidden />
            {w.operators}
          </Link>
        </div>
      ) : null}
    </>
  );
}
