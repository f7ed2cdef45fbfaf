// A value that the service shows once, and how a page keeps it from being lost.
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { copyText, whenCopied } from './clipboard.js';
import styles from './code.module.css';
import { ConfirmDialog } from './confirm-dialog.js';
import { Dialog } from './dialog.js';
import { Note, Row, Stack } from './page.js';

export interface SecretProps {
  readonly label: string;
  readonly value: string;
  /** The person has confirmed that it is stored. */
  onStored?(): void;
}

const placeOf = ({ pathname, search }: { pathname: string; search: unknown }) => pathname + JSON.stringify(search);

/** The value, to be copied and then confirmed as stored. Until then the page asks before it is left. */
export function Secret({ label, value, onStored }: SecretProps) {
  const w = useWords(shared);
  const [copy, setCopy] = useState<'none' | 'made' | 'refused'>('none');
  const copied = copy === 'made';
  // Often a command is copied that holds it.
  useEffect(() => whenCopied((text) => text.includes(value) && setCopy('made')), [value]);
  const [isStored, setStored] = useState(false);
  // The next navigation may come before the next rendering.
  const asks = useRef(true);
  const leaving = useBlocker({
    // Another workspace is another page, too.
    shouldBlockFn: ({ current, next }) => asks.current && placeOf(current) !== placeOf(next),
    enableBeforeUnload: () => asks.current,
    withResolver: true,
  });
  const store = () => {
    asks.current = false;
    setStored(true);
    onStored?.();
  };
  return (
    <Stack>
      <Note>{w.shownOnce}</Note>
      <div className={styles.block}>
        <code className={styles.value} data-secret>
          <span className="unseen">{label}: </span>
          {value}
        </code>
      </div>
      <Row>
        <Button
          variant={copied ? 'quiet' : 'primary'}
          onClick={() => void copyText(value).then((done) => done || setCopy('refused'))}
        >
          {w.copy}
        </Button>
        {isStored ? null : (
          <Button variant={copied ? 'primary' : 'quiet'} refused={copy === 'none' ? w.copyFirst : null} onClick={store}>
            {w.stored}
          </Button>
        )}
        <span role="status">{{ none: '', made: w.copied, refused: w.copyByHand }[copy]}</span>
      </Row>
      <ConfirmDialog
        title={w.leaveSecret}
        open={leaving.status === 'blocked'}
        onOpenChange={(open) => open || leaving.reset?.()}
        action={w.leaveAnyway}
        dismiss={w.stay}
        onConfirm={() => {
          asks.current = false;
          leaving.proceed?.();
        }}
      >
        {w.leaveSecretText}
      </ConfirmDialog>
    </Stack>
  );
}

/** A dialog with such a value: only "I have stored it" closes it. */
export function SecretDialog({
  title,
  before,
  children,
  ...secret
}: Required<SecretProps> & {
  readonly title: string;
  /** Above the value. */
  readonly before?: ReactNode;
  /** Below the value. */
  readonly children?: ReactNode;
}) {
  return (
    <Dialog title={title} open>
      <Stack>
        {before}
        <Secret {...secret} />
        {children}
      </Stack>
    </Dialog>
  );
}
