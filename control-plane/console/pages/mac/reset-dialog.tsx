import { useState } from 'react';
import type { RentalDetail, When } from '../../../../client/types.js';
import { useReset } from '../../data/macs.js';
import { useOrganization } from '../../data/session.js';
import { RadioGroup } from '../../design/choices.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Note, Stack } from '../../design/page.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { WhenChoice } from './when-choice.js';
import { words } from './words.js';

/** Empties the work folder or recreates the machine. Says what is lost, and how many new machines the day allows. */
export function ResetDialog({
  mac,
  open,
  onOpenChange,
}: {
  mac: RentalDetail;
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  const w = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const now = useNow();
  const [mode, setMode] = useState<'work' | 'new'>('work');
  const [when, setWhen] = useState<When>('after_build');
  const reset = useReset(useOrganization(), mac.rental_id);
  const build = mac.state === 'building' ? mac.current_build : null;
  const { left, next_at: nextAt } = mac.resets;
  const waitMs = nextAt === null ? 0 : Math.max(0, Date.parse(nextAt) - now);
  const mayRenew = left > 0 && waitMs === 0;
  const quota = [w.quota(left), waitMs > 0 ? w.quotaWait(format.duration(waitMs)) : ''].join(' ').trim();
  const loses = [
    ...(mode === 'work' ? [w.losesWork] : [w.losesMachine, w.losesInstalled]),
    ...(build && when === 'now' ? [w.losesBuild(build.id)] : []),
  ];
  const change = (next: boolean) => {
    reset.reset();
    onOpenChange(next);
  };
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={change}
      title={w.resetTitle}
      action={w.resetNow}
      loses={loses}
      pending={reset.isPending}
      error={reset.error}
      onConfirm={() =>
        reset.mutate(
          { keepCache: mode === 'work', when: mac.state === 'building' ? when : null },
          {
            onSuccess() {
              toast.done(w.resetAccepted);
              change(false);
            },
          },
        )
      }
      fields={
        <Stack>
          <RadioGroup<'work' | 'new'>
            name="keep_cache"
            label={w.resetMode}
            value={mode}
            options={[
              { value: 'work', label: w.resetWork, note: w.resetWorkNote },
              { value: 'new', label: w.resetNew, note: `${w.resetNewNote} ${quota}`, disabled: !mayRenew },
            ]}
            onChange={setMode}
          />
          {mac.state === 'building' ? <WhenChoice value={when} onChange={setWhen} /> : null}
          <Note>{w.keeps}</Note>
        </Stack>
      }
    />
  );
}
