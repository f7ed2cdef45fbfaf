// Apple's old linker and the new one.
import { type Item, WORK } from './item.js';

export const linkerItems: readonly Item[] = [
  {
    lines:
      'Undefined symbols for architecture arm64:\n  "_OBJC_CLASS_$_PKPaymentRequest", referenced from:\n      -[Pay start] in Pay.o\nld: symbol(s) not found for architecture arm64',
    code: 'link_error',
    says: 'Undefined symbol _OBJC_CLASS_$_PKPaymentRequest for arm64',
  },
  {
    lines: 'ld: Undefined symbols:\n  _OBJC_CLASS_$_PKPaymentRequest, referenced from:\n       in Pay.o',
    code: 'link_error',
    says: 'Undefined symbol _OBJC_CLASS_$_PKPaymentRequest',
  },
  {
    lines:
      'Undefined symbols for architecture x86_64:\n  "App.Cart.total.getter : Swift.Int", referenced from:\n      App.View.body.getter in View.o',
    code: 'link_error',
    says: 'Undefined symbol App.Cart.total.getter : Swift.Int for x86_64',
  },
  {
    lines: 'Undefined symbol: _total',
    code: 'link_error',
    says: 'Undefined symbol _total',
  },
  {
    lines: 'ld: symbol(s) not found for architecture arm64',
    code: 'link_error',
    says: 'symbol(s) not found for architecture arm64',
  },
  { lines: "ld: library 'sqlcipher' not found", code: 'link_error', says: "library 'sqlcipher' not found" },
  { lines: "ld: framework 'Cart' not found", code: 'link_error', says: "framework 'Cart' not found" },
  {
    lines: 'ld: library not found for -lsqlcipher',
    code: 'link_error',
    says: 'library not found for -lsqlcipher',
  },
  { lines: 'ld: framework not found Cart', code: 'link_error', says: 'framework not found Cart' },
  {
    lines: `duplicate symbol '_total' in:\n    ${WORK}/build/Cart.o\n    ${WORK}/build/Order.o\nld: 1 duplicate symbol for architecture arm64`,
    code: 'link_error',
    says: 'Duplicate symbol _total',
  },
  {
    lines: `duplicate symbol _total in:\n    ${WORK}/build/Cart.o\n    ${WORK}/build/Order.o\nld: 2 duplicate symbols for architecture arm64`,
    code: 'link_error',
    says: 'Duplicate symbol _total',
  },
  {
    lines: 'ld: 2 duplicate symbols for architecture arm64',
    code: 'link_error',
    says: '2 duplicate symbols for architecture arm64',
  },
  {
    lines: 'clang: error: linker command failed with exit code 1 (use -v to see invocation)',
    code: 'link_error',
    says: 'linker command failed with exit code 1',
  },
  {
    lines: 'error: link command failed with exit code 1 (use -v to see invocation)',
    code: 'link_error',
    says: 'link command failed with exit code 1',
  },
  {
    lines: `ld: building for 'iOS-simulator', but linking in object file (${WORK}/libs/libPay.a[arm64][2](pay.o)) built for 'iOS'`,
    code: 'link_error',
    says: "building for 'iOS-simulator', but linking in object file (libs/libPay.a[arm64][2](pay.o)) built for 'iOS'",
  },
  {
    lines: `ld: in ${WORK}/libs/libPay.a(pay.o), building for iOS Simulator, but linking in object file built for iOS, file '${WORK}/libs/libPay.a' for architecture arm64`,
    code: 'link_error',
    says: "in libs/libPay.a(pay.o), building for iOS Simulator, but linking in object file built for iOS, file 'libs/libPay.a' for architecture arm64",
  },
  {
    lines: `ld: building for iOS Simulator, but linking in dylib built for iOS, file '${WORK}/libs/Pay.framework/Pay' for architecture arm64`,
    code: 'link_error',
    says: "building for iOS Simulator, but linking in dylib built for iOS, file 'libs/Pay.framework/Pay' for architecture arm64",
  },
  {
    lines: 'Command Ld failed with a nonzero exit code',
    code: 'link_error',
    says: 'The step Ld failed.',
  },
];
