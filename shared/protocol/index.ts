export * from '../build.js';
export * from './enrol.js';
export * from './health.js';
export * from './images.js';
export * from './messages.js';
export * from './output-frame.js';
export * from './source.js';
export * from './version.js';
