// For what the test files of a process share: asked of tap's root itself, before each file gets a subtest in its place.
import t from 'tap';

/** What is given here runs when all files of this process have ended. */
export const atProcessEnd: typeof t.teardown = t.teardown.bind(t);
