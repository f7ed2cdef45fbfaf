// Imported first by the entry module of every program. On SIGUSR1 Node opens a debugger port without a credential:
// anybody who reaches it, such as any other user of the machine, runs code in the program. Operators send this signal to
// have logs opened again, so it does nothing here.
const wanted = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes('--inspect'));

process.on('SIGUSR1', () => undefined);
if (!wanted && process.features.inspector) {
  const inspector = process.getBuiltinModule('node:inspector');
  const close = () => {
    if (inspector.url() !== undefined) inspector.close();
  };
  // A signal that arrived before this line opens it a moment later at most.
  close();
  setImmediate(close);
}
