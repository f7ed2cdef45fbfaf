// The dialog that sets up an authenticator app: the QR code, then a first code, then the recovery codes.
import { useEffect, useState } from 'react';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { Failure } from '../../data/failure.js';
import { useSetUpTotp, useTurnOnTotp } from '../../data/second-factors.js';
import { Code } from '../../design/code.js';
import { FailureNote } from '../../design/failure-note.js';
import { FormDialog } from '../../design/form-dialog.js';
import { Note, Stack } from '../../design/page.js';
import { QrCode } from '../../design/qr-code.js';
import { Skeleton } from '../../design/skeleton.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param props.onCodes gets the recovery codes, once it is turned on */
export default function TotpSetup({ onCodes, onClose }: { onCodes(codes: readonly string[]): void; onClose(): void }) {
  const w = useWords(words);
  const setUp = useSetUpTotp();
  const turnOn = useTurnOnTotp();
  const [code, setCode] = useState('');
  const { mutate: begin } = setUp;
  useEffect(() => begin(), [begin]);
  const complete = /^\s*(\d\s*){6}$/.test(code);
  const submit = () => {
    if (turnOn.isPending) return;
    turnOn.mutate(code, {
      onSuccess: ({ recovery_codes }) => onCodes(recovery_codes),
      onError: (error) => {
        setCode('');
        if (error instanceof Failure && error.code === 'totp_setup_expired') begin();
      },
    });
  };
  const made = setUp.data;
  return (
    <FormDialog
      title={w.setUpTitle}
      submit={w.setUpSubmit}
      pending={turnOn.isPending}
      refused={made ? null : w.codeNeeded}
      error={turnOn.error}
      checks={{ code: code !== '' && !complete ? fieldProblem('invalid_format') : null }}
      onSubmit={submit}
      onClose={onClose}
    >
      {setUp.error ? <FailureNote error={setUp.error} onRetry={() => begin()} /> : null}
      {made ? (
        <Stack>
          <p>{w.setUpScan}</p>
          <QrCode text={made.address} label={w.setUpPicture} />
          <Note>{w.setUpType}</Note>
          <Code label={w.setUpKey}>{made.secret}</Code>
          <TextField
            label={w.setUpCode}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={setCode}
          />
        </Stack>
      ) : setUp.error ? null : (
        <Skeleton lines={6} />
      )}
    </FormDialog>
  );
}
