import type { EntityJson } from "@cloudwright/contract";
import { processEnvironment } from "@cloudwright/platform";
import {
  createFileInventory,
  createFileFaults,
  listTagged,
  type CloudRecord,
  type SimulatedFaultControl,
} from "@cloudwright/simulator";
import { join } from "node:path";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { listChildren } from "../child-processes.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";
import { createGatedTerraform, type GatedTerraform } from "./gated-terraform.ts";

const project = "/v1/projects/default";

/** A control plane with an agent whose Terraform commands can be held at gates. */
export interface Platform {
  readonly terraform: GatedTerraform;
  readonly faults: SimulatedFaultControl;
  calls(): AdminCalls;
  server(): RunningServer;
  /** Returns the process id of the embedded agent. */
  findAgent(): Promise<number>;
  restart(): Promise<void>;
  askFor(name: string): Promise<string>;
  waitForPhase(name: string, phase: string): Promise<EntityJson>;
  /** Deletes a network and waits until it has been deleted. */
  remove(name: string): Promise<void>;
  waitUntilGone(name: string): Promise<void>;
  /** Returns the resources in the simulated cloud that an entity owns. */
  listOwned(uid: string): Promise<readonly CloudRecord[]>;
  /** Returns the lock and the newest version of an entity's Terraform state. */
  readState(uid: string): Promise<{ readonly lock?: object; readonly newest?: { readonly resources: number } }>;
  stop(): Promise<void>;
}

/** Starts the platform with one simulated account. */
export async function openPlatform(real: string, environment: Readonly<Record<string, string>> = {}): Promise<Platform> {
  const home = await createHome();
  const terraform = await createGatedTerraform(home, real);
  const start = (): Promise<RunningServer> =>
    startServer({
      home,
      environment: {
        PATH: `${terraform.folder}:${processEnvironment["PATH"] ?? ""}`,
        CLOUDWRIGHT_LEASE_SECONDS: "30",
        CLOUDWRIGHT_DRIFT_CHECK: "off",
        // Keeps the simulated cloud in files, because it must work while the control plane is down.
        CLOUDWRIGHT_AGENT_SIMULATOR: "files",
        CLOUDWRIGHT_AGENT_STOP_SECONDS: "1",
        ...environment,
      },
    });
  let server = await start();
  let calls = createAdminCalls(server);
  const folder = join(home, "agent", "simulated");
  const inventory = createFileInventory(join(folder, "inventory"));
  await calls.create(`${project}/accounts`, { metadata: { name: "sim" }, spec: { simulated: true, aws: {} } });
  const account = (await calls.get(`${project}/accounts/sim`)).metadata.uid ?? "";
  const find = (name: string): Promise<Response> => calls.send("GET", `${project}/networks/${name}`);
  const waitUntilGone = (name: string): Promise<void> =>
    waitUntil(`${name} is gone`, async () => (await find(name)).status === 404, 180_000);
  return {
    terraform,
    faults: createFileFaults(join(folder, "mishaps.json")),
    calls: () => calls,
    server: () => server,
    findAgent: async () => (await listChildren(server.pid, "apps/agent/src/main.ts"))[0] ?? 0,
    async restart() {
      server = await start();
      calls = createAdminCalls(server);
    },
    async askFor(name) {
      const spec = { account: "sim", region: "eu-west-1", zones: ["a"] };
      return (await calls.create(`${project}/networks`, { metadata: { name }, spec })).metadata.uid ?? "";
    },
    async waitForPhase(name, phase) {
      const read = (): Promise<EntityJson> => calls.get(`${project}/networks/${name}`);
      await waitUntil(`${name} is ${phase}`, async () => (await read()).status["phase"] === phase, 180_000);
      return read();
    },
    async remove(name) {
      await calls.send("DELETE", `${project}/networks/${name}`);
      await waitUntilGone(name);
    },
    waitUntilGone,
    listOwned: (uid) => listTagged(inventory, account, { key: "cloudwright:entity", value: uid }),
    readState: async (uid) => (await calls.get(`${project}/states/${uid}`)) as never,
    async stop() {
      await server.stop();
      await removeHome(home);
    },
  };
}
