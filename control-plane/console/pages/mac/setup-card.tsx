import { useState } from 'react';
import type { RentalDetail } from '../../../../client/types.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { SetupDialog } from './setup-dialog.js';
import { words } from './words.js';

/** What is installed and selected, and the way to change it. */
export function SetupCard({ mac, refused }: { mac: RentalDetail; refused: string | null }) {
  const w = useWords(words);
  const common = useWords(shared);
  const [open, setOpen] = useState(false);
  const { setup, setup_options: options } = mac;
  const listOf = (names: readonly string[]) => (names.length === 0 ? common.none : names.join(', '));
  const hasOptions = options.xcode.length + options.runtimes.length + options.tools.length > 0;
  return (
    <Card
      title={w.setup}
      actions={
        hasOptions ? (
          <Button small refused={refused} onClick={() => setOpen(true)}>
            {w.change}
          </Button>
        ) : null
      }
    >
      <Facts
        facts={[
          { label: w.xcode, value: setup.xcode ?? w.setupNoXcode },
          { label: w.runtimes, value: listOf(setup.runtimes) },
          { label: w.tools, value: listOf(setup.tools) },
        ]}
      />
      {open ? <SetupDialog mac={mac} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}
