import { Link } from '../design/link.js';
import type { NavigationGroup } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import { navigationIcons } from './navigation-icons.js';
import styles from './side-bar.module.css';
import { SideBarPlaces } from './side-bar-places.js';
import { words } from './words.js';

export interface SideBarProps {
  readonly groups: readonly NavigationGroup[];
  /** A link was followed: the sheet on phones closes. */
  onFollow?(): void;
}

export function SideBar({ groups, onFollow }: SideBarProps) {
  const w = useWords(words);
  return (
    <nav aria-label={w.navigation} className={styles.nav}>
      {groups.map(({ label, items }) => (
        <div key={label} className={styles.group}>
          <p className={styles.heading} id={`nav-${label}`}>
            {w.groups[label]}
          </p>
          <ul aria-labelledby={`nav-${label}`} className={styles.list}>
            {items.map(({ to, label: name, unread = 0 }) => {
              const Icon = navigationIcons[name];
              return (
                <li key={to}>
                  <Link
                    to={to as '/'}
                    activeOptions={{ exact: to === '/o/$org' || to === '/operator', includeSearch: false }}
                    className={styles.link}
                    activeProps={{ className: styles.active, 'aria-current': 'page' }}
                    onClick={onFollow}
                  >
                    <Icon aria-hidden />
                    {w.nav[name]}
                    {unread > 0 ? <span className={styles.unread}>{w.unread(String(unread))}</span> : null}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      {groups.length === 0 ? <SideBarPlaces onFollow={onFollow} /> : null}
    </nav>
  );
}
