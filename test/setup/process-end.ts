// The end of a process with several test files: registered on tap's root, before each file gets a subtest in its place.
import t from 'tap';

/** What is given here runs when all files of this process have ended. */
export const atProcessEnd: typeof t.teardown = t.teardown.bind(t);
