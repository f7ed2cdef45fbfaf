// The frame of pages for signed-in people: side bar, top bar, content.
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStoredLanguage } from '../data/person-language.js';
import { ConnectionBanner, LiveMark } from '../design/live-mark.js';
import { PageScope } from '../design/page.js';
import type { NavigationGroup } from '../navigation.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Commands } from './commands.js';
import { useFirstPaint } from './first-paint.js';
import { Brand } from './frame.js';
import frame from './frame.module.css';
import { LanguageMenu, ThemeMenu } from './preferences.js';
import { usePrefetch } from './prefetch.js';
import { Sheet } from './sheet.js';
import styles from './shell.module.css';
import { SideBar } from './side-bar.js';
import { UserMenu } from './user-menu.js';
import { VersionBanner } from './version-banner.js';
import { words } from './words.js';

export interface ShellProps {
  /** Name of the organization or area, for the window's title. */
  readonly scope: string;
  readonly groups: readonly NavigationGroup[];
  /** Switchers of organization and workspace. */
  readonly switchers: ReactNode;
  readonly children?: ReactNode;
}

export function Shell({ scope, groups, switchers, children }: ShellProps) {
  useFirstPaint();
  useStoredLanguage();
  usePrefetch(groups);
  const w = useWords({ en: { ...shared.en, ...words.en }, ko: { ...shared.ko, ...words.ko } });
  return (
    <div className={styles.shell}>
      <a className={frame.skip} href="#content">
        {w.skip}
      </a>
      <aside className={styles.side}>
        <div className={styles.sticky}>
          <div className={styles.brand}>
            <Brand />
          </div>
          <SideBar groups={groups} />
        </div>
      </aside>
      <div className={styles.head}>
        <header className={styles.top}>
          <Sheet>{(close) => <SideBar groups={groups} onFollow={close} />}</Sheet>
          <div className={styles.switchers}>{switchers}</div>
          <div className={styles.tools}>
            <LiveMark short />
            <Commands groups={groups} />
            <LanguageMenu />
            <ThemeMenu />
            <UserMenu />
          </div>
        </header>
        <ConnectionBanner />
        <VersionBanner />
      </div>
      <main id="content" tabIndex={-1} className={styles.main}>
        <PageScope value={scope}>{children ?? <Outlet />}</PageScope>
      </main>
    </div>
  );
}
