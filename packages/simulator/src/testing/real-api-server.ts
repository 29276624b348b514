import { spawn, type ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { accessSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToken, processEnvironment, systemClock, type ToolProbe } from "@cloudwright/platform";
import { stringify } from "yaml";
import type { MachineryTarget } from "./kubernetes-machinery.ts";

/** Finds kube-apiserver and etcd in the folder given by KUBEBUILDER_ASSETS. */
export function findRealServer(): ToolProbe {
  const folder = processEnvironment["KUBEBUILDER_ASSETS"];
  if (folder === undefined || folder === "") return { found: false, reason: "KUBEBUILDER_ASSETS is not set" };
  try {
    for (const program of ["kube-apiserver", "etcd"]) accessSync(join(folder, program));
    return { found: true, path: folder };
  } catch {
    return { found: false, reason: "KUBEBUILDER_ASSETS has no kube-apiserver and etcd" };
  }
}

/** Starts a real API server with its own etcd, but without a scheduler or controllers. */
export async function startRealServer(probe: ToolProbe): Promise<MachineryTarget> {
  if (!probe.found) throw new Error(probe.reason);
  const home = await mkdtemp(join(tmpdir(), "kube-apiserver-"));
  const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const token = createToken();
  await writeFile(join(home, "tokens.csv"), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(join(home, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]): void =>
    void children.push(spawn(join(probe.path, program), args, { stdio: "ignore" }));
  const etcd = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  start(
    "etcd",
    `--data-dir=${home}/etcd`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--unsafe-no-fsync",
  );
  start(
    "kube-apiserver",
    `--etcd-servers=${etcd}`,
    `--cert-dir=${home}/certs`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--token-auth-file=${home}/tokens.csv`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.100.0.0/16",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${home}/sa.key`,
    `--service-account-signing-key-file=${home}/sa.key`,
    "--disable-admission-plugins=ServiceAccount",
  );
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority": join(home, "certs/apiserver.crt") };
  const kubeconfig = stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "real",
    clusters: [{ name: "real", cluster }],
    contexts: [{ name: "real", context: { cluster: "real", user: "admin" } }],
    users: [{ name: "admin", user: { token } }],
  });
  const close = async (): Promise<void> => {
    for (const child of children) child.kill("SIGKILL");
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await waitForPort(port);
  } catch (error) {
    await close();
    throw error;
  }
  return { kubeconfig, close };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// The server is ready once its bootstrap roles exist. Until then, it rejects even administrators.
async function waitForPort(port: number): Promise<void> {
  const { request } = await import("node:https");
  const isReady = (): Promise<boolean> =>
    new Promise((resolve) => {
      // The readiness probe sends no secrets, so it can skip the certificate check. kubectl verifies the certificate later.
      const call = request({ host: "127.0.0.1", port, path: "/readyz", rejectUnauthorized: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      call.on("error", () => resolve(false));
      call.end();
    });
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await isReady()) return;
    await systemClock.sleep(250);
  }
  throw new Error("kube-apiserver did not become ready within a minute");
}
