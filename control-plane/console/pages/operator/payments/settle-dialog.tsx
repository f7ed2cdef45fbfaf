import { useState } from 'react';
import { TextField } from '../../../design/text-field.js';
import { useWords } from '../../../words/use-words.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { words } from './words.js';

/**
 * Marks what an operator has settled with the provider.
 *
 * @param id the order number of a payment, or the id of a refund
 */
export function SettleDialog({ id, onClose }: { id: string; onClose(): void }) {
  const w = useWords(words);
  const [note, setNote] = useState('');
  return (
    <OperationDialog
      open
      onOpenChange={onClose}
      title={w.settleTitle(id)}
      operation={{ name: 'payment.settle', input: { id, note } }}
      action={w.settle}
      refused={note.trim() === '' ? w.noteNeeded : null}
    >
      <p>{w.settleText}</p>
      <TextField name="note" label={w.note} value={note} onChange={setNote} maxLength={500} required />
    </OperationDialog>
  );
}
