import { useId, useState } from 'react';
import { useLimits } from '../../data/session.js';
import { useResendSince } from '../../data/webhooks.js';
import { Button } from '../../design/button.js';
import { RadioGroup } from '../../design/choices.js';
import { Dialog } from '../../design/dialog.js';
import { Form, FormFailure } from '../../design/form.js';
import { Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import type { WebhookDialogProps } from './dialog-props.js';
import { words } from './words.js';

/** Seconds. */
const periods = ['3600', '86400', '604800', '2592000'] as const;

export function ResendDialog({ place, webhook, onClose }: WebhookDialogProps) {
  const w = useWords(words);
  const common = useWords(shared);
  const id = useId();
  const format = useFormat();
  const toast = useToast();
  const now = useNow(60_000);
  const most = useLimits().webhook_redeliveries;
  const resend = useResendSince(place, webhook.id);
  const [period, setPeriod] = useState<(typeof periods)[number]>('86400');
  const [which, setWhich] = useState<'failed' | 'all'>('failed');
  const send = () =>
    resend.mutate(
      {
        since: new Date(now - Number(period) * 1_000).toISOString(),
        ...(which === 'failed' ? { status: which } : {}),
      },
      {
        onSuccess: ({ redelivered }) => {
          toast.done(redelivered === 0 ? w.resentNone : w.resentMany(format.number(redelivered)));
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={w.resendTitle}
      description={w.resendText(format.number(most))}
      open
      onOpenChange={(open) => open || onClose()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" pending={resend.isPending} type="submit" form={id}>
            {w.resendAction}
          </Button>
        </>
      }
    >
      <Form id={id} error={resend.error} onSubmit={send}>
        <Stack>
          <Select<(typeof periods)[number]>
            name="since"
            label={w.since}
            value={period}
            options={periods.map((value) => ({ value, label: w.sinces[value] }))}
            onChange={setPeriod}
          />
          <RadioGroup<'failed' | 'all'>
            name="status"
            label={w.which}
            value={which}
            options={[
              { value: 'failed', label: w.whichFailed },
              { value: 'all', label: w.whichAll },
            ]}
            onChange={setWhich}
          />
          <FormFailure />
        </Stack>
      </Form>
    </Dialog>
  );
}
