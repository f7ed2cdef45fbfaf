// An agent with one task, in a process of its own that can be killed: makes the Mac as desired, or removes it, while the driver
// does its own work. Arguments as JSON: the driver's spec, its password, the desired Mac or null.
import { createMacChanges } from '../../host-agent/daemon/macs/change.js';
import { openDriver } from '../../host-agent/driver/open.js';

const [spec, password, want] = process.argv.slice(2).map((text) => JSON.parse(text));
const driver = openDriver(spec, { password });
const watch = driver.watch({ macs() {}, images() {}, inventory() {} });
const changes = createMacChanges(driver);
console.log('begun');
await (want === null ? changes.remove('s1') : changes.bring(want, () => {}));
console.log('done');
await watch.close();
