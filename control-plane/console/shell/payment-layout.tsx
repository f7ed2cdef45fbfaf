// The payment page: nothing around it that leads away, but who is signed in.
import { Outlet } from '@tanstack/react-router';
import { Frame } from './frame.js';
import { UserMenu } from './user-menu.js';

export default function PaymentLayout() {
  return (
    <Frame size="middle" tools={<UserMenu />}>
      <Outlet />
    </Frame>
  );
}
