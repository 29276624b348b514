import type { EntityJson } from "@cloudwright/contract";
import type { CloudRecord, Value } from "@cloudwright/simulator";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { runCloud, type CommandOutcome } from "../cloud-command.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud, type SimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";

export type Who = "admin" | "editor" | "viewer";

/** A run in the format of `cloud run get -o json`. */
export interface RunSeen {
  readonly uid: string;
  readonly state: string;
  readonly operation: string;
  readonly purpose: string;
  readonly counts?: Readonly<Record<string, number>>;
  readonly findings?: readonly { readonly rule: string; readonly severity: string }[];
  readonly approvedBy?: string;
  readonly message?: string;
}

/** A server with a simulated account and several users. */
export interface Platform {
  readonly server: RunningServer;
  readonly calls: AdminCalls;
  readonly faults: SimulatedCloud["faults"];
  /** Runs `cloud` as the administrator and returns its output. Throws if it fails. */
  cloud(...args: string[]): Promise<string>;
  /** Runs `cloud` as one of the users. The command may fail. */
  attempt(who: Who, ...args: string[]): Promise<CommandOutcome>;
  /** Writes a file in the home directory and returns its path. */
  write(name: string, content: string): Promise<string>;
  createNetwork(name: string, ...args: string[]): Promise<string>;
  network(name: string): Promise<EntityJson>;
  /** Returns the runs of a network, newest first. */
  runs(name: string): Promise<readonly RunSeen[]>;
  /** Waits until the newest run of a network is in this state, and returns it. Ignores the run with the uid `not`. */
  awaitRun(name: string, state: string, not?: string): Promise<RunSeen>;
  /** Returns how many tasks were created for a network. */
  countTasks(name: string): Promise<number>;
  /** Returns the resources in the simulated cloud. */
  list(type?: string): Promise<readonly CloudRecord[]>;
  /** Changes the only resource of a type without the platform's knowledge. Returns its id. */
  change(type: string, attributes: Readonly<Record<string, Value>>): Promise<string>;
  /** Restarts the server on the same home directory with different settings. */
  restart(environment: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** Starts the platform with the given policies in addition to the default ones. */
export async function openPlatform(policies: string): Promise<Platform> {
  const home = await createHome();
  await mkdir(join(home, "policies"));
  await writeFile(join(home, "policies", "platform.yaml"), policies);
  const start = (environment: Readonly<Record<string, string>>): Promise<RunningServer> =>
    startServer({ home, environment: { CLOUDWRIGHT_POLICIES: join(home, "policies"), ...environment } });
  let server = await start({});
  let calls = createAdminCalls(server);
  const keys = new Map<Who, string>();
  for (const role of ["editor", "viewer"] as const) keys.set(role, (await calls.createUser(role, role, "default")).key);
  const simulated = openSimulatedCloud(() => calls);
  const attempt: Platform["attempt"] = (who, ...args) => {
    const key = keys.get(who);
    return runCloud({ home, ...(key === undefined ? {} : { environment: { CLOUDWRIGHT_API_KEY: key } }) }, ...args);
  };
  const cloud: Platform["cloud"] = async (...args) => {
    const { code, out, err } = await attempt("admin", ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${out}${err}`);
    return out;
  };
  await cloud("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
  const runs: Platform["runs"] = async (name) => {
    const uid = (await platform.network(name)).metadata.uid ?? "";
    const answer = await calls.send("GET", `/v1/projects/default/runs?entity=${uid}`);
    return ((await answer.json()) as { items: RunSeen[] }).items;
  };
  const platform: Platform = {
    get server() {
      return server;
    },
    get calls() {
      return calls;
    },
    faults: simulated.faults,
    cloud,
    attempt,
    async write(name, content) {
      await writeFile(join(home, name), content);
      return join(home, name);
    },
    createNetwork: (name, ...args) =>
      cloud("network", "create", name, "--account", "sim", "--region", "eu-west-1", "--zones", "a", ...args),
    network: (name) => calls.get(`/v1/projects/default/networks/${name}`),
    runs,
    async awaitRun(name, state, not) {
      let seen: RunSeen | undefined;
      await waitUntil(`the newest run of ${name} is ${state}`, async () => {
        [seen] = await runs(name);
        return seen?.state === state && seen.uid !== not;
      });
      return seen as RunSeen;
    },
    async countTasks(name) {
      return (await calls.list(`/v1/projects/default/tasks?filter=spec.entityName=${name}&pageSize=1000`)).length;
    },
    list: simulated.list,
    async change(type, attributes) {
      const [record] = await simulated.list(type);
      const id = record?.id ?? "";
      await simulated.change({ type, id }, attributes);
      return id;
    },
    async restart(environment) {
      await server.stop();
      server = await start(environment);
      calls = createAdminCalls(server);
    },
    async close() {
      await server.stop();
      await removeHome(home);
    },
  };
  return platform;
}
