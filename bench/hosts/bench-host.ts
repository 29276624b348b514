import { openHost, runTool, type Host, type HostedInstance } from "@cloudwright/hosts";
import { createKeyPair, runOverSsh, type KeyPair } from "@cloudwright/hosts/testing";
import { createUid, systemClock } from "@cloudwright/platform";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

const image = "debian-12";
const reachWithinMs = 240_000;
const connectMs = 1000;

/** A host with an image and a network, for benchmarks. */
export interface BenchHost {
  readonly directory: string;
  readonly host: Host;
  readonly network: string;
  /** Folder with the root file system of the image. */
  readonly root: string;
  readonly key: KeyPair;
  readonly hostKey: KeyPair;
  newUid(): string;
  specOf(uid: string, change?: Partial<HostedInstance>): HostedInstance;
  /** Tries a command over SSH until it succeeds. */
  waitForSsh(address: string, pauseMs: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openBenchHost(imageRoot: string): Promise<BenchHost> {
  const directory = await mkdtemp(join(tmpdir(), "cloudwright-bench-host-"));
  const host = await openHost({ directory, run: runTool, clock: systemClock });
  const newUid = (): string => createUid(systemClock.now());
  const network = newUid();
  const [key, hostKey] = [await createKeyPair(), await createKeyPair()];
  const { root } = await host.images.importRootfs({ name: image, path: imageRoot }, undefined);
  await host.networks.ensure({ uid: network, cidr: "10.60.0.0/22", nat: false, domain: "bench.internal" });
  const canLogIn = async (address: string): Promise<boolean> =>
    (await runOverSsh({ user: "admin", address, key, hostKey: hostKey.publicKey }, "true")).code === 0;
  return {
    directory,
    host,
    network,
    root,
    key,
    hostKey,
    newUid,
    specOf: (uid, change) => ({
      uid,
      name: `i-${uid.slice(-12)}`,
      project: "bench",
      image,
      cpus: availableParallelism(),
      memoryMib: 512,
      diskGib: 2,
      access: { user: "admin", authorizedKeys: [key.publicKey], hostKey },
      network,
      groups: [],
      ...change,
    }),
    async waitForSsh(address, pauseMs) {
      const deadline = systemClock.now() + reachWithinMs;
      // Attempts before the server listens would only take processor time from the instances.
      while (!(await listens(address)) || !(await canLogIn(address))) {
        if (systemClock.now() > deadline) throw new Error(`${address} does not accept SSH commands`);
        await systemClock.sleep(pauseMs);
      }
    },
    async [Symbol.asyncDispose]() {
      await host.clean();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function listens(address: string): Promise<boolean> {
  const socket = connect({ host: address, port: 22, timeout: connectMs });
  socket.once("timeout", () => socket.destroy(new Error("timeout")));
  return once(socket, "connect").then(
    () => socket.destroy() !== undefined,
    () => false,
  );
}
