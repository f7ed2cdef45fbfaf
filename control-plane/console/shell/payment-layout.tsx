// The frame of the payment pages: only who is signed in, without navigation.
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
