// In place of a page whose program could not be loaded: without a connection, or because the service has a new version.
import CloudOff from 'lucide-react/icons/cloud-off';
import { use, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { clock } from '../clock.js';
import { connection } from '../data/connection.js';
import { askVersion, newVersion } from '../data/version.js';
import { Button } from '../design/button.js';
import { EmptyState } from '../design/empty-state.js';
import { Page, PageScope } from '../design/page.js';
import { useWords } from '../words/use-words.js';
import { Frame } from './frame.js';
import { words } from './words.js';

const ASK_AGAIN_MS = 5_000;

export function PageUnloaded() {
  const w = useWords(words);
  const isNew = useSyncExternalStore(newVersion.subscribe, newVersion.isThere);
  const [asking, setAsking] = useState(false);
  /** The address is already that of the page, and nothing of it is on the screen: loading it again loses nothing. */
  const retry = useCallback(async () => {
    setAsking(true);
    const version = await askVersion();
    setAsking(false);
    if (version === 'same') location.reload();
  }, []);
  useEffect(() => {
    let wasAway = false;
    let left = false;
    const ask = async () => {
      const version = await askVersion();
      if (version === 'same' && wasAway && !left) location.reload();
      wasAway = version === 'unreachable';
    };
    void ask();
    // Pages of a person have no stream that says when the service is back.
    const asking = clock.setInterval(() => wasAway && void ask(), ASK_AGAIN_MS);
    const forget = connection.onBack(() => void retry());
    return () => {
      left = true;
      asking.cancel();
      forget();
    };
  }, [retry]);
  const content = isNew ? (
    <Page title={w.newVersion}>
      <EmptyState
        icon={<CloudOff />}
        title={w.newVersionText}
        action={
          <Button variant="primary" onClick={() => location.reload()}>
            {w.loadNewVersion}
          </Button>
        }
      />
    </Page>
  ) : (
    <Page title={w.unloaded}>
      <EmptyState
        icon={<CloudOff />}
        title={w.unloadedText}
        action={
          <Button variant="primary" pending={asking} onClick={() => void retry()}>
            {w.retry}
          </Button>
        }
      />
    </Page>
  );
  return use(PageScope) === null ? <Frame>{content}</Frame> : content;
}
