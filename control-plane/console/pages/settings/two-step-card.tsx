// Two-step sign-in: the authenticator app and the recovery codes.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { secondFactorsQuery, useRenewRecoveryCodes, useTurnOffTotp } from '../../data/second-factors.js';
import { Time } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Facts } from '../../design/facts.js';
import { Note, Row, Stack } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { SecretDialog } from '../../design/secret.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

// With the code that draws QR codes.
const TotpSetup = lazy(() => import('./totp-setup.js'));

/** From so few on, the page suggests new ones. */
const FEW = 3;

export function TwoStepCard() {
  const w = useWords(words);
  const toast = useToast();
  const query = useQuery(secondFactorsQuery);
  const off = useTurnOffTotp();
  const renew = useRenewRecoveryCodes();
  const [open, setOpen] = useState<'set-up' | 'turn-off' | 'renew' | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const show = (made: readonly string[]) => {
    close();
    setCodes(made);
  };
  const { totp, recovery_codes_left: left = 0 } = query.data ?? {};
  return (
    <Card title={w.twoStep}>
      <QueryState query={query} lines={2} />
      {totp === null ? (
        <Stack>
          <Note>{w.twoStepOff}</Note>
          <Row>
            <Button onClick={() => setOpen('set-up')}>{w.turnOn}</Button>
          </Row>
        </Stack>
      ) : null}
      {totp ? (
        <Stack>
          <Facts
            facts={[
              { label: w.twoStepOn, value: <Time at={totp.on_since} /> },
              { label: w.codesLeft, value: left <= FEW ? `${left}. ${w.codesLow}` : left },
            ]}
          />
          <Row>
            <Button onClick={() => setOpen('renew')}>{w.newCodes}</Button>
            <Button onClick={() => setOpen('turn-off')}>{w.turnOff}</Button>
          </Row>
        </Stack>
      ) : null}
      {open === 'set-up' ? (
        <Suspense>
          <TotpSetup onCodes={show} onClose={close} />
        </Suspense>
      ) : null}
      <ConfirmDialog
        title={w.turnOffTitle}
        open={open === 'turn-off'}
        onOpenChange={close}
        action={w.turnOff}
        pending={off.isPending}
        error={off.error}
        onConfirm={() =>
          off.mutate(undefined, {
            onSuccess: () => {
              close();
              toast.done(w.turnedOff);
            },
          })
        }
      >
        {w.turnOffText}
      </ConfirmDialog>
      <ConfirmDialog
        title={w.newCodesTitle}
        open={open === 'renew'}
        onOpenChange={close}
        action={w.newCodes}
        danger={false}
        pending={renew.isPending}
        error={renew.error}
        onConfirm={() => renew.mutate(undefined, { onSuccess: ({ recovery_codes }) => show(recovery_codes) })}
      >
        {w.newCodesText}
      </ConfirmDialog>
      {codes ? (
        <SecretDialog
          title={w.codesTitle}
          label={w.codes}
          value={codes.join('\n')}
          onStored={() => setCodes(null)}
          before={<p>{w.codesText}</p>}
        />
      ) : null}
    </Card>
  );
}
