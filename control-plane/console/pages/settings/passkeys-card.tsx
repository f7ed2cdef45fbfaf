import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Passkey } from '../../../../client/types.js';
import { deviceOf } from '../../data/device.js';
import { Failure } from '../../data/failure.js';
import { hasPasskeys, passkeysQuery, useAddPasskey, useRemovePasskey } from '../../data/passkeys.js';
import { RelativeTime } from '../../design/amounts.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { FormDialog } from '../../design/form-dialog.js';
import { Note, Row } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { buttonColumn, type Column, Table } from '../../design/table.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import styles from './passkeys-card.module.css';
import { RenamePasskeyDialog } from './rename-passkey-dialog.js';
import { words } from './words.js';

export function PasskeysCard() {
  const w = useWords(words);
  const common = useWords(shared);
  const query = useQuery(passkeysQuery);
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const columns: Column<Passkey>[] = [
    {
      key: 'name',
      header: w.passkey,
      main: true,
      cell: ({ name, synced }) => (
        <Row>
          <span>{name}</span>
          {synced ? <Badge>{w.synced}</Badge> : null}
        </Row>
      ),
    },
    { key: 'created', header: w.added, cell: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'used',
      header: w.lastUsed,
      cell: ({ last_used_at }) => (last_used_at === null ? common.none : <RelativeTime at={last_used_at} />),
    },
    buttonColumn(w.actions, (passkey) => (
      <Row>
        <Button small aria-label={w.renameOf(passkey.name)} onClick={() => setRenaming(passkey)}>
          {w.rename}
        </Button>
        <Button small aria-label={w.removeOf(passkey.name)} onClick={() => setRemoving(passkey)}>
          {w.remove}
        </Button>
      </Row>
    )),
  ];
  const { data = [], refused = null } = query.data ?? {};
  const reason = refused === null ? (hasPasskeys() ? null : w.noPasskeys) : w.passkeysRefused[refused];
  return (
    <Card
      title={w.passkeys}
      actions={
        query.data && reason === null ? (
          <Button small onClick={() => setAdding(true)}>
            {w.addPasskey}
          </Button>
        ) : null
      }
      flush
    >
      <QueryState query={query} lines={2} />
      {query.data && (reason !== null || data.length === 0) ? (
        <div className={styles.text}>
          <Note>{reason ?? w.passkeysText}</Note>
        </div>
      ) : null}
      {data.length > 0 ? <Table label={w.passkeys} columns={columns} rows={data} rowKey={({ id }) => id} /> : null}
      {adding ? <AddDialog onClose={() => setAdding(false)} /> : null}
      {renaming ? <RenamePasskeyDialog passkey={renaming} onClose={() => setRenaming(null)} /> : null}
      {removing ? <RemoveDialog passkey={removing} onClose={() => setRemoving(null)} /> : null}
    </Card>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const add = useAddPasskey();
  const { browser, system } = deviceOf(navigator.userAgent);
  const [name, setName] = useState([system, browser].filter(Boolean).join(' · '));
  const submit = () => {
    if (add.isPending) return;
    add.mutate(name.trim(), {
      onSuccess: () => {
        toast.done(w.passkeyAdded);
        onClose();
      },
    });
  };
  return (
    <FormDialog
      title={w.addPasskey}
      description={w.addPasskeyText}
      submit={w.continue}
      pending={add.isPending}
      error={add.error ? inWords(add.error, w) : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={w.passkeyName}
        name="name"
        note={w.passkeyNameNote}
        maxLength={100}
        required
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const remove = useRemovePasskey();
  return (
    <ConfirmDialog
      title={w.removeTitle(passkey.name)}
      open
      onOpenChange={(open) => open || onClose()}
      action={w.remove}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(passkey.id, {
          onSuccess: () => {
            toast.done(w.passkeyRemoved);
            onClose();
          },
        })
      }
    >
      {w.removeText}
    </ConfirmDialog>
  );
}

function inWords(error: unknown, w: { passkeyCancelled: string; passkeyExists: string }): unknown {
  if (!(error instanceof Failure) || error.status !== null) return error;
  const message =
    error.code === 'passkey_exists' ? w.passkeyExists : error.code === 'passkey_cancelled' ? w.passkeyCancelled : null;
  return message === null ? error : new Failure({ status: null, code: 'form', message });
}
