// The frame of pages outside of an organization: sign-in, first owner, invitation, shared build.
import type { ReactNode } from 'react';
import { Link } from '../design/link.js';
import { ConnectionBanner } from '../design/live-mark.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { useFirstPaint } from './first-paint.js';
import styles from './frame.module.css';
import { LanguageMenu, ThemeMenu } from './preferences.js';

export const Brand = () => (
  <Link to="/" className={styles.brand}>
    Cidermill
  </Link>
);

export function Frame({
  wide = false,
  size = wide ? 'wide' : 'main',
  tools,
  children,
}: {
  wide?: boolean;
  size?: 'main' | 'middle' | 'wide';
  /** Beside the menus of language and theme. */
  tools?: ReactNode;
  children: ReactNode;
}) {
  const w = useWords(shared);
  useFirstPaint();
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {w.skip}
      </a>
      <header className={styles.top}>
        <Brand />
        <div className={styles.tools}>
          <LanguageMenu />
          <ThemeMenu />
          {tools}
        </div>
      </header>
      <ConnectionBanner />
      <main id="content" tabIndex={-1} className={styles[size]}>
        {children}
      </main>
    </div>
  );
}
