// Messages that vanish after some seconds, for what the page does not show by itself.

import X from 'lucide-react/icons/x';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { clock } from '../clock.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { IconButton } from './button.js';
import { useFailureText } from './failure-text.js';
import styles from './toast.module.css';

interface Message {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly title: string;
  readonly text: string | null;
}

/** How long a message stays; not while it has the pointer or the focus. */
const SHOWN_MS = { good: 5_000, bad: 12_000 } as const;
const MOST = 3;

type Add = (message: Omit<Message, 'id'>) => void;

const Context = createContext<Add | null>(null);

let last = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const add = useCallback<Add>((message) => {
    last += 1;
    const added = { ...message, id: last };
    setMessages((before) => [...before, added].slice(-MOST));
  }, []);
  const remove = useCallback((id: number) => setMessages((all) => all.filter((each) => each.id !== id)), []);
  return (
    <Context value={add}>
      {children}
      <div className={styles.viewport}>
        {/* Two regions that are always there, because screen readers announce only changes inside of one. */}
        {(['good', 'bad'] as const).map((tone) => (
          <div key={tone} className={styles.region} aria-live={tone === 'bad' ? 'assertive' : 'polite'}>
            {messages
              .filter((each) => each.tone === tone)
              .map((each) => (
                <Shown key={each.id} message={each} onClose={remove} />
              ))}
          </div>
        ))}
      </div>
    </Context>
  );
}

function Shown({ message, onClose }: { message: Message; onClose: (id: number) => void }) {
  const w = useWords(shared);
  const [held, setHeld] = useState(false);
  const { id, tone, title, text } = message;
  useEffect(() => {
    if (held) return;
    const timer = clock.setTimeout(() => onClose(id), SHOWN_MS[tone]);
    return timer.cancel;
  }, [held, id, tone, onClose]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the message waits while somebody reads it
    <div
      className={styles.toast}
      data-tone={tone}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className={styles.texts}>
        <p className={styles.title}>{title}</p>
        {text ? <p className={styles.description}>{text}</p> : null}
      </div>
      <IconButton label={w.close} icon={<X aria-hidden />} onClick={() => onClose(id)} />
    </div>
  );
}

/** @example const toast = useToast(); toast.done(w.saved); toast.failed(error); */
export function useToast() {
  const add = use(Context);
  if (!add) throw new Error('ToastProvider is missing');
  const textOf = useFailureText();
  return useMemo(
    () => ({
      done: (title: string, text: string | null = null) => add({ tone: 'good', title, text }),
      failed(error: unknown) {
        const { message, advice } = textOf(error);
        add({ tone: 'bad', title: message, text: advice });
      },
    }),
    [add, textOf],
  );
}
