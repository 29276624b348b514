import { createServer, connect, type AddressInfo, type Socket } from "node:net";

/** A TCP proxy to a server. Its connections can be cut and restored. */
export interface SeverableLine {
  readonly address: string;
  /** Closes all connections and rejects new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Listens on a free port and forwards all traffic to the server. */
export async function openSeverableLine(target: string): Promise<SeverableLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    track(near);
    if (isCut) return void near.destroy();
    const far = track(connect(Number(port), hostname));
    near.pipe(far).on("close", () => near.destroy());
    far.pipe(near).on("close", () => far.destroy());
    return undefined;
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => void (isCut = false),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
