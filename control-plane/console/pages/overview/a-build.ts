/** A command that submits a build. */
export const A_BUILD = "cidermill build --script 'make test'";
