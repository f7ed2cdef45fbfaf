/** Takes the token out of the address, where others may see it, and out of the history. */
export function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}
