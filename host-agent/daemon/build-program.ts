import { fileURLToPath } from 'node:url';

/** The program that build processes run. The packaged agent, which is one file, has that file instead (tools/package). */
export const BUILD_PROGRAM = fileURLToPath(new URL('../runner/main.js', import.meta.url));
