import { readdirSync } from 'node:fs';
import { unless } from '../../shared/errno.js';

/** Returns the names in a folder; none if there is no such folder. */
export const namesIn = (folder: string): string[] => unless(['ENOENT'], () => readdirSync(folder)) ?? [];
