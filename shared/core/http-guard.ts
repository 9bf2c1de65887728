/** Where a server listens, and what its callers must show. */
export interface HttpGuard {
  readonly host: string;
  /** Absent: only a loopback host is served. `none`: whoever reaches the port is served. */
  readonly token?: string | undefined;
  /** Whether two texts are equal, in a time that doesn't tell where they differ. */
  readonly isEqual: (left: string, right: string) => boolean;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Why a server must not listen like this; undefined when it may. */
export function unsafeListening({ host, token }: Pick<HttpGuard, 'host' | 'token'>): string | undefined {
  if (LOOPBACK.test(host) || (token !== undefined && token !== '')) return undefined;
  return (
    `${host} is reached from elsewhere: set HALTLINE_HTTP_TOKEN, which callers send as \`Authorization: Bearer TOKEN\` ` +
    '(none: everybody who reaches the port may look)'
  );
}

/**
 * Why a request is refused; undefined when it is served. On loopback without a token, the name that was asked for must be
 * a loopback's: a web page whose own name leads to 127.0.0.1 gets nothing.
 */
export function requestRefusal(
  { host, token, isEqual }: HttpGuard,
  headers: { readonly authorization?: string | undefined; readonly host?: string | undefined },
): { readonly status: 401 | 403; readonly reason: string } | undefined {
  if (token === 'none') return undefined;
  if (token !== undefined && token !== '') {
    if (isEqual(headers.authorization ?? '', `Bearer ${token}`)) return undefined;
    return { status: 401, reason: 'expected the token as `Authorization: Bearer TOKEN`' };
  }
  const asked = (headers.host ?? '').replace(/:\d{1,5}$/, '');
  if (LOOPBACK.test(asked) || asked === host) return undefined;
  return { status: 403, reason: 'the name that was asked for is not of this machine' };
}
