// The roles of people in an organization. The service reads this too, by navigation.ts.
import type { Session } from '../../../client/types.js';

export type Role = Session['organizations'][number]['role'];
