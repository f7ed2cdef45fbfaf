// What a person can do when the identity provider has not signed them in.
import { Failure } from '../../data/failure.js';
import type { ProviderTrip } from '../../data/identity-provider.js';
import { Button, LinkButton } from '../../design/button.js';
import { Note, Row } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface BackProps {
  /** Null: the reason for the visit is not known. */
  readonly trip: ProviderTrip | null;
  readonly error: unknown;
  readonly pending: boolean;
  /** Goes to the provider again; null: not possible, because the reason for the visit is not known. */
  readonly onAgain: (() => void) | null;
}

export function Back({ trip, error, pending, onAgain }: BackProps) {
  const w = useWords(words);
  const unlinked = error instanceof Failure && error.code === 'identity_not_linked';
  const again =
    onAgain && !unlinked ? (
      <Button variant="primary" pending={pending} onClick={onAgain}>
        {w.again}
      </Button>
    ) : null;
  return (
    <>
      <Row>
        {again}
        <Elsewhere trip={trip} unlinked={unlinked} />
      </Row>
      {trip?.newTab ? <Note>{w.closeTab}</Note> : null}
    </>
  );
}

function Elsewhere({ trip, unlinked }: Pick<BackProps, 'trip'> & { unlinked: boolean }) {
  const w = useWords(words);
  if (trip?.newTab) return null;
  if (trip?.purpose === 'link') return <LinkButton to="/settings">{w.toSettings}</LinkButton>;
  if (trip?.purpose === 'invite' && !unlinked) {
    return (
      <LinkButton to="/invite" {...(trip.invite === undefined ? {} : { hash: trip.invite })}>
        {w.toInvite}
      </LinkButton>
    );
  }
  if (unlinked) {
    return (
      <LinkButton to="/sign-in" variant="primary" search={{ next: '/settings' }}>
        {w.signInAndLink}
      </LinkButton>
    );
  }
  const next = trip?.next ?? undefined;
  return (
    <LinkButton to="/sign-in" search={{ next }}>
      {trip ? w.usual : w.again}
    </LinkButton>
  );
}
