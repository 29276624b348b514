import { systemClock } from "@cloudwright/platform";
import { connect } from "node:net";

const patienceMs = 60_000;
const pauseMs = 100;
const answerMs = 2000;

/** Waits until a program answers on the SSH port of an instance. Returns false if none does in time. */
export async function waitForSsh(address: string, signal: AbortSignal): Promise<boolean> {
  const deadline = systemClock.now() + patienceMs;
  while (systemClock.now() < deadline) {
    if (await answers(address)) return true;
    await systemClock.sleep(pauseMs, signal);
  }
  return false;
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: 22, timeout: answerMs });
    const end = (found: boolean) => (): void => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", end(true)).once("timeout", end(false)).once("error", end(false));
  });
}
