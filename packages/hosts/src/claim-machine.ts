import { Fault, systemClock } from "@cloudwright/platform";
import { createServer, type Server } from "node:net";
import { hostsFaults } from "./faults.ts";

/** Name of the lock. Abstract sockets belong to a network namespace, as the networks and firewalls of hosts do. */
const name = "\0cloudwright-host";
const heldForMs = 2000;
const pauseMs = 50;

/**
 * Makes this process the only one that manages the machine's networks, instances and volumes. Returns a function that ends this. Throws if
 * another process does so. The lock is a listening socket, because the kernel releases it when the process dies.
 */
export async function claimMachine(): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy());
  // A program that the previous agent was starting keeps the socket open until it runs.
  const deadline = systemClock.now() + heldForMs;
  while (!(await listens(server))) {
    if (systemClock.now() > deadline)
      throw new Fault(hostsFaults.machine_claimed, "another agent on this machine acts as its host already");
    await systemClock.sleep(pauseMs);
  }
  server.unref();
  return () => new Promise((resolve) => void server.close(() => resolve()));
}

function listens(server: Server): Promise<boolean> {
  return new Promise((resolve) => {
    const onError = (): void => resolve(false);
    server.once("error", onError);
    server.listen(name, () => {
      server.off("error", onError);
      resolve(true);
    });
  });
}
