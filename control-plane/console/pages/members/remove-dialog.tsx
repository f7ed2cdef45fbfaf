import { useInfiniteQuery } from '@tanstack/react-query';
import type { Member } from '../../../../client/types.js';
import { keysOf, keysQuery } from '../../data/keys.js';
import { useLeave, useRemoveMember } from '../../data/members.js';
import { MANAGERS, useMay, useOrganization, useSession } from '../../data/session.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Link, useGo } from '../../design/link.js';
import { Note } from '../../design/page.js';
import { useToast } from '../../design/toast.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function RemoveDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const w = useWords(words);
  const format = useFormat();
  const toast = useToast();
  const go = useGo();
  const { user } = useSession();
  const organization = useOrganization();
  const may = useMay(MANAGERS);
  const other = useRemoveMember(organization);
  const leave = useLeave(organization, () => {
    toast.done(w.left(organization.name));
    go({ to: '/' });
  });
  const keys = useInfiniteQuery({
    ...keysQuery(organization, { state: 'usable', created_by: member.user_id }),
    enabled: may,
  });
  const self = member.user_id === user.id;
  const who = member.name ?? member.email;
  const theirs = keysOf(keys.data);
  const remove = self ? leave : other;
  const onRemoved = () => {
    toast.done(w.removed(who));
    onClose();
  };
  const confirm = () => remove.mutate(member.user_id, self ? {} : { onSuccess: onRemoved });
  return (
    <ConfirmDialog
      title={self ? w.leaveTitle(organization.name) : w.removeTitle(who)}
      open
      onOpenChange={(open) => open || onClose()}
      loses={self ? [w.losesOwn, w.losesInvites] : [w.losesAccess, w.losesInvites]}
      action={self ? w.leave : w.remove}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {theirs.length > 0 ? (
        <Note>
          {w.keysStay(format.list(theirs.map(({ name }) => name)))}{' '}
          <Link to="/o/$org/keys" search={{ by: member.user_id }}>
            {w.seeKeys}
          </Link>
        </Note>
      ) : null}
    </ConfirmDialog>
  );
}
