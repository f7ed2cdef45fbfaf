// Packages of the host agent for this machine.
import type { Runtime } from '../../tools/package/runtime.js';

/** The source tree. */
export const root = new URL('../../../', import.meta.url).pathname;

/** A runtime that is a script around the Node of this process: it is small, and runs here. */
export const scriptRuntime: Runtime = {
  platform: `${process.platform}-${process.arch}`,
  version: process.versions.node,
  node: Buffer.from(`#!/bin/sh\nexec '${process.execPath}' "$@"\n`),
  license: null,
};
