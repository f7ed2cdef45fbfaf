import type { Session } from '../../../client/types.js';

/** Props of a way in which a person confirms who they are. */
export interface WayProps {
  readonly session: Session;
}
