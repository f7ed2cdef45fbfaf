// The frame of pages for signed-in people: side bar, top bar, content.
import { Dialog } from '@base-ui/react/dialog';
import { Outlet } from '@tanstack/react-router';
import MenuIcon from 'lucide-react/icons/menu';
import X from 'lucide-react/icons/x';
import { type ReactNode, useState } from 'react';
import type { LiveState } from '../data/live.js';
import { IconButton } from '../design/button.js';
import { PageScope } from '../design/page.js';
import type { NavigationGroup } from '../navigation.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Brand } from './frame.js';
import frame from './frame.module.css';
import { LiveMark } from './live-mark.js';
import { LanguageMenu, ThemeMenu } from './preferences.js';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.js';
import { SideBar } from './side-bar.js';
import { UserMenu } from './user-menu.js';
import { words } from './words.js';

export interface ShellProps {
  /** Name of the organization or area, for the window's title. */
  readonly scope: string;
  readonly groups: readonly NavigationGroup[];
  /** Switchers of organization and workspace. */
  readonly switchers: ReactNode;
  readonly live?: LiveState | undefined;
  readonly children?: ReactNode;
}

export function Shell({ scope, groups, switchers, live, children }: ShellProps) {
  const w = useWords({ en: { ...shared.en, ...words.en }, ko: { ...shared.ko, ...words.ko } });
  const [open, setOpen] = useState(false);
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
      <header className={styles.top}>
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger
            className={styles.opener}
            render={<IconButton label={w.openNavigation} icon={<MenuIcon aria-hidden />} />}
          />
          <Dialog.Portal>
            <Dialog.Backdrop className={styles.shade} />
            <Dialog.Popup className={styles.sheet} aria-label={w.navigation}>
              <div className={styles.brand}>
                <Brand />
                <Dialog.Close render={<IconButton label={w.closeNavigation} icon={<X aria-hidden />} />} />
              </div>
              <SideBar groups={groups} onFollow={() => setOpen(false)} />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <div className={styles.switchers}>{switchers}</div>
        <div className={styles.tools}>
          {live ? <LiveMark state={live} /> : null}
          <LanguageMenu />
          <ThemeMenu />
          <UserMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1} className={styles.main}>
        <PageScope value={scope}>{children ?? <Outlet />}</PageScope>
      </main>
      <Shortcuts groups={groups} />
    </div>
  );
}
