/** An address to listen on. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** A server that listens on all interfaces is advertised on the loopback address, because its certificate covers that address. */
export function renderAddress({ host, port }: Listen): string {
  if (host === "0.0.0.0" || host === "::") return `https://127.0.0.1:${port}`;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the host and port of a stored address, or undefined if it is empty. */
export function parseAddress(address: string): Listen | undefined {
  if (address === "") return undefined;
  const { hostname, port } = new URL(address);
  return { host: hostname.replaceAll(/[[\]]/g, ""), port: Number(port || 443) };
}
