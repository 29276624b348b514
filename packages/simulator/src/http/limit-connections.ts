import { createAddressLimit } from "@cloudwright/platform";
import type { Server, Socket } from "node:net";

/** Limits on the open connections of a server. */
export interface ConnectionLimits {
  /** Maximum number of open connections. */
  readonly connections: number;
  /** Maximum number of open connections from one remote address, or from one IPv6 /64 network. The local machine is exempt. */
  readonly connectionsPerAddress: number;
}

export const defaultConnectionLimits: ConnectionLimits = { connections: 10_000, connectionsPerAddress: 2500 };

/**
 * Limits the open connections of a server. Returns a function that the server calls for each new connection. If the remote address
 * already has the maximum number of connections, the function closes the new one and returns false.
 */
export function limitConnections(
  server: Pick<Server, "maxConnections">,
  { connections, connectionsPerAddress }: ConnectionLimits,
): (socket: Pick<Socket, "remoteAddress" | "once" | "destroy">) => boolean {
  server.maxConnections = connections;
  const addresses = createAddressLimit(connectionsPerAddress);
  return (socket) => {
    const release = addresses.open(socket.remoteAddress ?? "");
    if (release === undefined) {
      socket.destroy();
      return false;
    }
    socket.once("close", release);
    return true;
  };
}
