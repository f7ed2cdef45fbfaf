// Dialogs. Loaded when the first one opens: most pages have several, and show none.
import { Suspense, useEffect, useState } from 'react';
import { unreachable } from '../data/failure.js';
import { lazyPart } from '../shell/lazy-part.js';
import type { DialogProps } from './dialog-parts.js';
import { useToast } from './toast.js';

export type { DialogProps };

const Parts = lazyPart(() => import('./dialog-parts.js'), NoDialog);

export const loadDialogs = Parts.preload;

/** Without a connection: the page stays as it is. */
function NoDialog({ open, onOpenChange }: DialogProps) {
  const toast = useToast();
  useEffect(() => {
    if (!open) return;
    toast.failed(unreachable());
    onOpenChange?.(false);
  }, [open, toast, onOpenChange]);
  return null;
}

export function Dialog(props: DialogProps) {
  // Once it was open, it stays, so that it can close slowly.
  const [asked, setAsked] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  if (props.open !== wasOpen) {
    setWasOpen(props.open);
    // Each time: the last one may have failed.
    if (props.open) void Parts.preload();
    if (props.open) setAsked(true);
  }
  return asked ? (
    <Suspense>
      <Parts {...props} />
    </Suspense>
  ) : null;
}
