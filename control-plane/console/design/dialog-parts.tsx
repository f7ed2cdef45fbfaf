// A dialog, loaded when the first one opens (dialog.tsx).
import { Dialog as Base } from '@base-ui/react/dialog';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import button from './button.module.css';
import { classNames } from './class-names.js';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  /** Without it only a button of the content closes the dialog: neither Escape nor a click outside. */
  onOpenChange?(open: boolean): void;
  /** Opens over another dialog, which Escape must not close with it. */
  readonly above?: boolean;
  readonly description?: ReactNode;
  /** Buttons at the end. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export default function Dialog({
  title,
  open,
  onOpenChange,
  above = false,
  description,
  actions,
  children,
}: DialogProps) {
  const w = useWords(shared);
  useEscape(open && above ? onOpenChange : undefined);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => onOpenChange?.(next)}
      disablePointerDismissal={onOpenChange === undefined}
    >
      <Base.Portal>
        <Base.Backdrop className={classNames(styles.shade, above && styles.above)} />
        <Base.Popup className={classNames(styles.popup, above && styles.above)}>
          <header className={styles.header}>
            <Base.Title>{title}</Base.Title>
          </header>
          <div className={styles.body}>
            {description ? <Base.Description render={<div />}>{description}</Base.Description> : null}
            {children}
          </div>
          {actions ? <footer className={styles.footer}>{actions}</footer> : null}
          {/* Last, so that the first field gets the focus. */}
          {onOpenChange ? (
            <Base.Close className={classNames(button.iconOnly, styles.close)} aria-label={w.close}>
              <X aria-hidden />
            </Base.Close>
          ) : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Closes the dialog before any other one hears of the key. */
function useEscape(onOpenChange: DialogProps['onOpenChange']) {
  useEffect(() => {
    if (!onOpenChange) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      onOpenChange(false);
    };
    addEventListener('keydown', close, true);
    return () => removeEventListener('keydown', close, true);
  }, [onOpenChange]);
}
