// What can be done with the build. The most likely action stands first.
import ArrowUpToLine from 'lucide-react/icons/arrow-up-to-line';
import Ban from 'lucide-react/icons/ban';
import Braces from 'lucide-react/icons/braces';
import Ellipsis from 'lucide-react/icons/ellipsis';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Share2 from 'lucide-react/icons/share-2';
import { useState } from 'react';
import type { Build } from '../../../../client/types.js';
import { CancelDialog } from '../../builds/cancel-dialog.js';
import { useRerun } from '../../builds/use-rerun.js';
import { words as buildWords } from '../../builds/words.js';
import { hasEnded, useBuildActions } from '../../data/builds.js';
import type { Place } from '../../data/place.js';
import { Button, IconButton } from '../../design/button.js';
import { Code } from '../../design/code.js';
import { Dialog } from '../../design/dialog.js';
import { Menu, MenuItem } from '../../design/menu.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { ShareDialog } from './share-dialog.js';
import { words } from './words.js';

export function Actions({ place, build }: { place: Pick<Place, 'id'>; build: Build }) {
  const w = useWords(words);
  const own = useWords(buildWords);
  const common = useWords(shared);
  const toast = useToast();
  const rerun = useRerun(place);
  const { setPriority } = useBuildActions(place);
  const [open, setOpen] = useState<'cancel' | 'share' | 'json' | null>(null);
  const close = () => setOpen(null);
  const ended = hasEnded(build);
  const stopping = build.stop_requested_at !== null;
  const first = build.priority === 1;
  return (
    <>
      {ended ? (
        <Button
          variant="primary"
          icon={<RotateCw aria-hidden />}
          pending={rerun.pending !== null}
          onClick={() => rerun.run(build.id)}
        >
          {own.rerun}
        </Button>
      ) : (
        <Button icon={<Ban aria-hidden />} refused={stopping ? own.stopping : null} onClick={() => setOpen('cancel')}>
          {own.cancelBuild}
        </Button>
      )}
      <Button icon={<Share2 aria-hidden />} onClick={() => setOpen('share')}>
        {w.share}
      </Button>
      <Menu trigger={<IconButton label={common.more} icon={<Ellipsis aria-hidden />} />}>
        {build.status === 'queued' ? (
          <MenuItem
            icon={<ArrowUpToLine />}
            onSelect={() => setPriority.mutate({ id: build.id, priority: first ? 0 : 1 }, { onError: toast.failed })}
          >
            {first ? own.notFirst : own.first}
          </MenuItem>
        ) : null}
        {ended ? null : (
          <MenuItem icon={<RotateCw />} onSelect={() => rerun.run(build.id)}>
            {own.rerun}
          </MenuItem>
        )}
        <MenuItem icon={<Braces />} onSelect={() => setOpen('json')}>
          {w.json}
        </MenuItem>
      </Menu>
      <CancelDialog place={place} build={open === 'cancel' ? build : null} onClose={close} />
      <ShareDialog
        place={place}
        id={build.id}
        open={open === 'share'}
        onOpenChange={(next) => (next ? undefined : close())}
      />
      <Dialog title={w.json} open={open === 'json'} onOpenChange={(next) => (next ? undefined : close())}>
        <Code label={w.json}>{JSON.stringify(build, null, 2)}</Code>
      </Dialog>
    </>
  );
}
