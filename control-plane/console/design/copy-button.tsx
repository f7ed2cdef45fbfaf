import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useEffect, useState } from 'react';
import { clock } from '../clock.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { IconButton } from './button.js';
import { copyText } from './clipboard.js';

const SHOWN_MS = 2_000;

/** Copies a text. `label`: what it copies, where the place does not say it. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const w = useWords(shared);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = clock.setTimeout(() => setCopied(false), SHOWN_MS);
    return timer.cancel;
  }, [copied]);
  return (
    <>
      <IconButton
        label={label ?? w.copy}
        icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        onClick={() => void copyText(text).then(setCopied)}
      />
      <span className="unseen" role="status">
        {copied ? w.copied : ''}
      </span>
    </>
  );
}
