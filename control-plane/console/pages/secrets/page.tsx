// `/o/:org/secrets`: names of secrets; set, replace and delete them.
import { useQuery } from '@tanstack/react-query';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { Place } from '../../data/place.js';
import { secretsQuery, useDeleteSecret } from '../../data/secrets.js';
import { useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Code } from '../../design/code.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { EmptyState } from '../../design/empty-state.js';
import { Page } from '../../design/page.js';
import { QueryState } from '../../design/query-state.js';
import { useToast } from '../../design/toast.js';
import { usePageAction } from '../../page-actions.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { SecretTable } from './secret-table.js';
import { SetSecretDialog } from './set-dialog.js';
import { words } from './words.js';

/** The name of the secret to replace; '' for a new one. */
type Setting = string | null;

export default function SecretsPage() {
  const w = useWords(words);
  const place = useOrganization();
  const [setting, setSetting] = useState<Setting>(null);
  const may = usePageAction('setSecret', () => setSetting(''));
  const query = useQuery(secretsQuery(place));
  const [deleting, setDeleting] = useState<string | null>(null);
  const secrets = query.data?.secrets ?? [];
  const add = (
    <Button variant="primary" icon={<Plus aria-hidden />} refused={may ? null : w.needs} onClick={() => setSetting('')}>
      {w.add}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead} actions={secrets.length > 0 ? add : undefined}>
      <QueryState query={query} lines={6} />
      <Unreadable names={secrets.filter(({ readable }) => !readable).map(({ name }) => name)} />
      {secrets.length > 0 ? (
        <Card flush>
          <SecretTable secrets={secrets} may={may} onReplace={setSetting} onDelete={setDeleting} />
        </Card>
      ) : null}
      {query.data && secrets.length === 0 ? (
        <Card>
          <EmptyState icon={<LockKeyhole />} title={w.emptyTitle} action={add}>
            <p>{w.emptyText}</p>
            <Code label={w.command}>cidermill secrets set APP_STORE_KEY --file AuthKey.p8</Code>
          </EmptyState>
        </Card>
      ) : null}
      {setting === null ? null : <SetSecretDialog place={place} name={setting} onClose={() => setSetting(null)} />}
      {deleting === null ? null : (
        <DeleteSecretDialog place={place} name={deleting} onClose={() => setDeleting(null)} />
      )}
    </Page>
  );
}

/** Secrets whose key the service has lost: every build fails until they are set again. */
function Unreadable({ names }: { names: readonly string[] }) {
  const w = useWords(words);
  const format = useFormat();
  if (names.length === 0) return null;
  return (
    <Card title={w.unreadableTitle(names.length)}>
      <p>{w.unreadableText}</p>
      <p>
        <code>{format.list(names)}</code>
      </p>
    </Card>
  );
}

function DeleteSecretDialog({ place, name, onClose }: { place: Place; name: string; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const remove = useDeleteSecret(place);
  const confirm = () =>
    remove.mutate(name, {
      onSuccess: () => {
        toast.done(w.deleted(name));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.deleteTitle(name)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.loses]}
      action={common.delete}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {w.deleteText}
    </ConfirmDialog>
  );
}
