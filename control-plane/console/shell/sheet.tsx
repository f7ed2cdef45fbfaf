// The side bar on phones: a dialog at the left edge.
import MenuIcon from 'lucide-react/icons/menu';
import X from 'lucide-react/icons/x';
import { type ReactNode, useRef } from 'react';
import { IconButton } from '../design/button.js';
import { useWords } from '../words/use-words.js';
import { Brand } from './frame.js';
import styles from './shell.module.css';
import { words } from './words.js';

/** @param children gets a function that closes the sheet */
export function Sheet({ children }: { children: (close: () => void) => ReactNode }) {
  const w = useWords(words);
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <span className={styles.opener}>
        <IconButton
          label={w.openNavigation}
          icon={<MenuIcon aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => dialog.current?.showModal()}
        />
      </span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape */}
      <dialog
        ref={dialog}
        className={styles.sheet}
        aria-label={w.navigation}
        onClick={(event) => (event.target === dialog.current ? close() : undefined)}
      >
        <div className={styles.brand}>
          <Brand />
          <button type="button" className={styles.close} aria-label={w.closeNavigation} onClick={close}>
            <X aria-hidden />
          </button>
        </div>
        {children(close)}
      </dialog>
    </>
  );
}
