import type { Build, ListedBuild } from '../../../client/types.js';
import { hasEnded, useBuildActions } from '../data/builds.js';
import type { Place } from '../data/place.js';
import { ConfirmDialog } from '../design/confirm-dialog.js';
import { useFormat } from '../words/language.js';
import { useNow } from '../words/use-now.js';
import { useWords } from '../words/use-words.js';
import { useBuildName } from './build-name.js';
import { words } from './words.js';

/** Asks before a build is canceled. `build` null: closed. */
export function CancelDialog({
  place,
  build,
  onClose,
}: {
  place: Pick<Place, 'id'>;
  build: Build | ListedBuild | null;
  onClose(): void;
}) {
  const { cancel } = useBuildActions(place);
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  const nameOf = useBuildName();
  const started = build?.timings.started_at ?? null;
  const loses = [
    started !== null && w.losesRun(format.duration(now - Date.parse(started))),
    build?.queue_position != null && w.losesPlace(build.queue_position),
  ].filter((each) => each !== false);
  const close = () => {
    cancel.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      title={w.cancelTitle(build ? nameOf(build) : '')}
      open={build !== null && !hasEnded(build)}
      onOpenChange={(open) => (open ? undefined : close())}
      loses={loses}
      action={w.cancelBuild}
      dismiss={w.keep}
      pending={cancel.isPending}
      error={cancel.error}
      onConfirm={() => build && cancel.mutate(build.id, { onSuccess: close })}
    >
      {started === null ? w.cancelQueued : `${w.cancelRunning} ${w.kept}`}
    </ConfirmDialog>
  );
}
