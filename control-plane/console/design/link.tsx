// Links to pages of the console.
import { Link as RouterLink, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import type { Address } from '../addresses.js';

/** Names of the parameters in an address. */
type Names<A extends string> = A extends `${infer First}/${infer Rest}`
  ? Names<First> | Names<Rest>
  : A extends `$${infer Name}`
    ? Name
    : never;

/** The organization may be left out: it is that of the present page. */
type ParametersOf<A extends Address> = Record<Exclude<Names<A>, 'org'>, string> & { org?: string };

export type Target<A extends Address> = {
  readonly to: A;
  /** Search parameters. The selected workspace stays selected. */
  readonly search?: Readonly<Record<string, string | undefined>>;
  /** Without `#`. */
  readonly hash?: string;
  /** Loads the page from the service, which the pay page needs for its own content security policy. */
  readonly reloadDocument?: boolean;
} & ([Exclude<Names<A>, 'org'>] extends [never]
  ? { readonly params?: { org?: string } }
  : { readonly params: ParametersOf<A> });

export type LinkProps<A extends Address> = Target<A> &
  Omit<ComponentProps<'a'>, 'href'> & {
    readonly children?: ReactNode;
    readonly activeOptions?: { exact?: boolean; includeSearch?: boolean };
    /** Attributes while the address is open. */
    readonly activeProps?: ComponentProps<'a'>;
  };

/** @example <Link to="/o/$org/builds/$build_id" params={{ build_id: id }}>{id}</Link> */
export function Link<A extends Address>({ to, params, search, ...rest }: LinkProps<A>) {
  const target = useTarget({ to, params, search });
  return <RouterLink {...(rest as object)} {...(target as { to: string })} />;
}

/** @example const go = useGo(); go({ to: '/o/$org/macs' }) */
export function useGo() {
  const navigate = useNavigate();
  const { org, workspace } = useHere();
  return <A extends Address>(target: Target<A>, { replace = false } = {}): void =>
    void navigate({ ...target, ...completed(target, org, workspace), replace } as never);
}

const useTarget = (target: { to: Address; params?: object | undefined; search?: object | undefined }) => {
  const { org, workspace } = useHere();
  return { to: target.to, ...completed(target, org, workspace) };
};

function useHere() {
  const { org } = useParams({ strict: false }) as { org?: string };
  const { workspace } = useSearch({ strict: false }) as { workspace?: string };
  return { org, workspace };
}

function completed(
  { to, params, search }: { to: Address; params?: object | undefined; search?: object | undefined },
  org: string | undefined,
  workspace: string | undefined,
) {
  const same = params === undefined || !('org' in params) || params.org === org;
  const kept = to.startsWith('/o/') && same && workspace !== undefined ? { workspace } : {};
  return { params: { ...(org === undefined ? {} : { org }), ...params }, search: { ...kept, ...search } };
}
