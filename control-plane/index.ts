// The control plane as a library.
export { type ControlPlane, type ControlPlaneOptions, createControlPlane } from './control-plane.js';
