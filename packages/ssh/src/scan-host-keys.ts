import { Fault } from "@cloudwright/platform";
import ssh2, { type ServerHostKeyAlgorithm } from "ssh2";
import { explainError, isMissingHostKey } from "./explain-error.ts";
import { sshFaults } from "./faults.ts";
import { hostKeyAlgorithms, renderHostKey } from "./host-keys.ts";

export interface ScanOptions {
  readonly port?: number;
  /** Limits the whole scan. Default: 20 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a machine for its host keys, one of each type, as lines of type and base64. Nothing proves that the answer comes from the right
 * machine, so somebody must compare the keys before they are pinned.
 */
export async function scanHostKeys(address: string, options: ScanOptions = {}): Promise<string[]> {
  const { port = 22, timeoutMs = 20_000, signal } = options;
  const where = `${address}:${port}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const explainStop = (): Fault =>
    signal?.aborted === true
      ? new Fault(sshFaults.cancelled, `reading the host keys of ${where} was cancelled`)
      : new Fault(sshFaults.timeout, `${where} did not present its host keys within ${timeoutMs} ms`);
  const found: string[] = [];
  // One type after the other: servers limit the number of logins in progress.
  for (const algorithms of Object.values(hostKeyAlgorithms)) {
    if (stop.aborted) throw explainStop();
    const key = await readHostKey(address, port, [...algorithms], stop, explainStop);
    if (key !== undefined) found.push(key);
  }
  if (found.length === 0) throw new Fault(sshFaults.bad_answer, `${where} presented no host key of a known type`);
  return found;
}

function readHostKey(
  address: string,
  port: number,
  serverHostKey: ServerHostKeyAlgorithm[],
  stop: AbortSignal,
  explainStop: () => Fault,
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const where = `${address}:${port}`;
  const client = new ssh2.Client();
  const onStop = (): void => {
    reject(explainStop());
    client.destroy();
  };
  stop.addEventListener("abort", onStop, { once: true });
  client
    .on("error", (error) =>
      isMissingHostKey(error) ? resolve(undefined) : reject(explainError(error, where, { isLoggedIn: false })),
    )
    .on("close", () => reject(new Fault(sshFaults.unreachable, `${where} ended the connection`)));
  client.connect({
    host: address,
    port,
    username: "none",
    algorithms: { serverHostKey },
    hostVerifier: (key: Buffer) => {
      resolve(renderHostKey(key));
      return false;
    },
    readyTimeout: 0,
  });
  return promise.finally(() => {
    stop.removeEventListener("abort", onStop);
    client.destroy();
  });
}
