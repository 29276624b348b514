import { fork } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { join } from "node:path";
import type { HostAnswer, HostOrder } from "../anchors/kubernetes-host.ts";
import { readProcessUse } from "./process-use.ts";

/** Handle to the process that runs simulated clusters. */
export interface HostProcess {
  make(order: HostOrder): Promise<HostAnswer>;
  readCpuMicros(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

const program = join(import.meta.dirname, "..", "anchors", "kubernetes-host.ts");

/** Starts the process. It unloads clusters that have received no request for `idleMs`. */
export async function startHostProcess(idleMs: number): Promise<HostProcess> {
  const child = fork(program, [String(idleMs)], { execArgv: ["--expose-gc"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return {
    async make(order) {
      child.send(order);
      const [answer] = (await once(child, "message")) as [HostAnswer];
      return answer;
    },
    readCpuMicros: () => readProcessUse(child.pid ?? 0).cpuMicros,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** Sends a request to a cluster as its administrator and returns the response body. Throws if the request fails. */
export async function askCluster(cluster: HostAnswer, method: string, path: string, body?: object): Promise<string> {
  const token = /token: "?([^"\n]+)"?/.exec(cluster.kubeconfig)?.[1] ?? "";
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = request(`${cluster.server}${path}`, { method, ca: cluster.caPem, headers });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(asked, "response")) as [import("node:http").IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if ((response.statusCode ?? 500) >= 300)
    throw new Error(`${method} ${path} failed with status ${response.statusCode}: ${text}`);
  return text;
}
