import { useState } from 'react';
import { type PayableOrder, usePaymentStep } from '../../data/payment.js';
import { Button } from '../../design/button.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useWords } from '../../words/use-words.js';
import styles from './pay.module.css';
import { words } from './words.js';

export function CancelOrder({ found }: { found: PayableOrder }) {
  const w = useWords(words);
  const [open, setOpen] = useState(false);
  const cancel = usePaymentStep(found.order.order_no);
  const loses = found.order.kind === 'extension' ? w.cancelLosesExtension : w.cancelLoses;
  return (
    <div className={styles.cancel}>
      <Button variant="link" onClick={() => setOpen(true)}>
        {w.cancelOrder}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title={w.cancelTitle}
        loses={[loses]}
        action={w.cancelNow}
        dismiss={w.keep}
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate({ found, act: { path: 'cancel' } }, { onSuccess: () => setOpen(false) })}
      >
        {w.cancelNote}
      </ConfirmDialog>
    </div>
  );
}
