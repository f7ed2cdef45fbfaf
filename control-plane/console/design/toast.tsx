import { Toast } from '@base-ui/react/toast';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { IconButton } from './button.js';
import { useFailureText } from './failure-text.js';
import styles from './toast.module.css';

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport}>
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  const w = useWords(shared);
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast} swipeDirection={[]}>
      <Toast.Content className={styles.content}>
        <div className={styles.texts}>
          <Toast.Title className={styles.title} render={<p />} />
          <Toast.Description className={styles.description} />
        </div>
        <Toast.Close render={<IconButton label={w.close} icon={<X aria-hidden />} />} />
      </Toast.Content>
    </Toast.Root>
  ));
}

/**
 * Messages that vanish after some seconds, for what the page does not show by itself.
 *
 * @example const toast = useToast(); toast.done(w.saved); toast.failed(error);
 */
export function useToast() {
  const { add } = Toast.useToastManager();
  const textOf = useFailureText();
  return {
    done: (title: string, description?: string) => void add({ title, description, type: 'good' }),
    failed(error: unknown) {
      const { message, advice } = textOf(error);
      add({
        title: message,
        description: advice ?? undefined,
        type: 'bad',
        priority: 'high',
        timeout: 12_000,
      });
    },
  };
}
