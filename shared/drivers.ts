// The drivers of host agents, by name: what makes their Macs. A new driver of virtual machines is a line here, a folder
// `host-agent/driver/NAME/`, and a line in `host-agent/driver/vm-tools.ts`.

/** `virtual`: its Macs are virtual machines; else folders of the host, without isolation between tenants. */
export const drivers = {
  local: { virtual: false },
  tart: { virtual: true },
  lume: { virtual: true },
} as const;

export type DriverName = keyof typeof drivers;
export type VmDriverName = {
  [Name in DriverName]: (typeof drivers)[Name]['virtual'] extends true ? Name : never;
}[DriverName];

export const driverNames = Object.keys(drivers) as [DriverName, ...DriverName[]];

/** The driver of hosts that name none. */
export const DEFAULT_DRIVER = 'local' satisfies DriverName;

/** Returns whether the driver's Macs are virtual machines. */
export const isVirtual = (driver: string): driver is VmDriverName =>
  driver in drivers && drivers[driver as DriverName].virtual;

export const vmDriverNames = driverNames.filter(isVirtual) as [VmDriverName, ...VmDriverName[]];
