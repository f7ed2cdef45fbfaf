import { useBuildActions } from '../../data/builds.js';
import type { Place } from '../../data/place.js';
import { useTimeLimit } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { Dialog } from '../../design/dialog.js';
import { FailureNote } from '../../design/failure-note.js';
import { formatRange, parseRange } from '../../log/ranges.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function ShareDialog({
  place,
  id,
  open,
  onOpenChange,
}: {
  place: Pick<Place, 'id'>;
  id: string;
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const linkTime = useTimeLimit('build_link_s');
  const { share, unshare } = useBuildActions(place);
  // The link opens at the lines that are selected in the log.
  const range = parseRange(location.hash);
  const lines = range === null ? '' : formatRange(range);
  const reset = () => {
    share.reset();
    unshare.reset();
  };
  const change = (next: boolean) => {
    if (!next) reset();
    onOpenChange(next);
  };
  const create = () => {
    reset();
    share.mutate(id);
  };
  const withdraw = () => {
    reset();
    unshare.mutate(id);
  };
  return (
    <Dialog
      title={w.shareTitle}
      open={open}
      onOpenChange={change}
      description={w.shareText(linkTime)}
      actions={
        <>
          <Button pending={unshare.isPending} onClick={withdraw}>
            {w.unshare}
          </Button>
          {share.data ? (
            <Button onClick={() => change(false)}>{common.close}</Button>
          ) : (
            <Button variant="primary" pending={share.isPending} onClick={create}>
              {w.shareCreate}
            </Button>
          )}
        </>
      }
    >
      {share.error ? <FailureNote error={share.error} /> : null}
      {unshare.error ? <FailureNote error={unshare.error} /> : null}
      {unshare.isSuccess ? <p role="status">{w.unshared}</p> : null}
      {share.data ? (
        <>
          <Code label={w.shareLink}>{share.data.url + lines}</Code>
          <p role="status">{w.shareUntil(format.dateTime(share.data.expires_at))}</p>
        </>
      ) : null}
    </Dialog>
  );
}
