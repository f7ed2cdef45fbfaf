import { useId, useState } from 'react';
import { useRotateSecret } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { Form, FormFailure } from '../../design/form.js';
import { Stack } from '../../design/page.js';
import { SecretDialog } from '../../design/secret.js';
import { Select } from '../../design/select.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

/** Seconds. */
const graces = ['0', '3600', '86400', '604800'] as const;

export function RotateDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const id = useId();
  const rotate = useRotateSecret(place, webhook.id);
  const [grace, setGrace] = useState<(typeof graces)[number]>('86400');
  const close = (open: boolean) => open || onClose();
  if (rotate.data) {
    return <SecretDialog title={w.rotated} label={w.secret} value={rotate.data.secret} onStored={onClose} />;
  }
  return (
    <Dialog
      title={w.rotateTitle}
      description={w.rotateText}
      open
      onOpenChange={close}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" pending={rotate.isPending} type="submit" form={id}>
            {w.rotate}
          </Button>
        </>
      }
    >
      <Form id={id} error={rotate.error} onSubmit={() => rotate.mutate(Number(grace))}>
        <Stack>
          <Select<(typeof graces)[number]>
            name="grace_s"
            label={w.grace}
            value={grace}
            options={graces.map((value) => ({ value, label: w.graces[value] }))}
            onChange={setGrace}
          />
          <FormFailure />
        </Stack>
      </Form>
    </Dialog>
  );
}
