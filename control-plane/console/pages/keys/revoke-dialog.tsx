import type { ApiKey } from '../../../../client/types.js';
import { useRevokeKey } from '../../data/keys.js';
import { useOrganization } from '../../data/session.js';
import { RelativeTime } from '../../design/amounts.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function RevokeKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const w = useWords(words);
  const toast = useToast();
  const revoke = useRevokeKey(useOrganization());
  const { id, name, last_used_at } = apiKey;
  const confirm = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        toast.done(w.revoked(name));
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={w.revokeTitle(name)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={[w.losesRequests, w.losesOpen]}
      action={w.revoke}
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      {last_used_at ? (
        <>
          {w.lastUsed}: <RelativeTime at={last_used_at} />
        </>
      ) : (
        w.neverUsed
      )}
    </ConfirmDialog>
  );
}
