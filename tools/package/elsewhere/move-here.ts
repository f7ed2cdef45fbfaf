// Takes the place of control-plane/admin/move-here.ts in the package of the command line.
import { openHere } from './open-here.js';

export const moveHere = (): Promise<never> => openHere();
