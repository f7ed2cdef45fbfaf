// What the dialogs of all ways have in common.
import type { Session } from '../../../client/types.js';
import { Button } from '../design/button.js';
import { Row } from '../design/page.js';
import { useWords } from '../words/use-words.js';
import { words } from './asking-words.js';

/** Of a dialog in which a person confirms who they are, in one way. */
export interface WayProps {
  readonly session: Session;
  /** Changes to another way; null: there is no other. */
  readonly onOther: (() => void) | null;
}

/** The button that changes to another way to confirm; nothing where there is no other. */
export function OtherWay({ onOther }: Pick<WayProps, 'onOther'>) {
  const w = useWords(words);
  if (onOther === null) return null;
  return (
    <Row>
      <Button small onClick={onOther}>
        {w.otherWay}
      </Button>
    </Row>
  );
}
