import { processEnvironment, systemClock } from "@cloudwright/platform";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostmaster, killAndWait, removeHome } from "../home-directory.ts";
import { waitUntil } from "../wait-until.ts";
import { queryWithRetry } from "./query.ts";
import { findFreePort } from "./free-port.ts";
import { renderSettings, type FaultPlatform, type PlatformAgent } from "./platform.ts";
import { hasVariable, listProcesses, trySignal } from "./process-list.ts";
import { isReady } from "./ready.ts";
import { runToEnd } from "./run-to-end.ts";
import { withSmallDisk } from "./small-disk.ts";
import { supervise } from "./supervised.ts";

const root = join(import.meta.dirname, "../..");
const node = join(root, "node_modules/.bin/node");
const agentProgram = join(root, "apps/agent/src/main.ts");

interface EmbeddedOptions {
  readonly smallDisk: boolean;
  /** Additional settings of the control plane. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Opens a platform as a new user would run it: one control plane with embedded PostgreSQL and an embedded agent. */
export async function openEmbeddedPlatform({ smallDisk, environment: more = {} }: EmbeddedOptions): Promise<FaultPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "cw-faults-"));
  // The database user needs access to this directory.
  chmodSync(directory, 0o711);
  const home = join(directory, "home");
  const journal = join(directory, "journal.jsonl");
  const clock = join(directory, "clock");
  const disk = join(home, "agent", "tasks");
  mkdirSync(`${journal}.locks`);
  mkdirSync(home, { mode: 0o711 });
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const environment = {
    ...renderSettings(directory, journal),
    PATH: processEnvironment["PATH"],
    CLOUDWRIGHT_HOME: home,
    CLOUDWRIGHT_LISTEN: `127.0.0.1:${port}`,
    CLOUDWRIGHT_CONSOLE: "off",
    CLOUDWRIGHT_LOG_LEVEL: "warn",
    CLOUDWRIGHT_CLOCK_OFFSET_FILE: clock,
    ...more,
  };
  const logFile = join(directory, "control-plane.log");
  const serve = [node, join(root, "apps/control-plane/src/main.ts")];
  const server = supervise({
    name: "control-plane",
    command: smallDisk ? withSmallDisk(disk, serve) : serve,
    cwd: root,
    environment,
    logFile,
  });
  const findAgents = (): number[] =>
    listProcesses()
      .filter(({ commandLine, pid }) => commandLine.includes(agentProgram) && hasVariable(pid, `HOME=${directory}`))
      .map(({ pid }) => pid);
  const agent: PlatformAgent = {
    name: "embedded",
    smallDisk: smallDisk ? disk : undefined,
    pid: () => findAgents()[0],
    end: (signal) => trySignal(findAgents()[0] ?? 0x7fff_ffff, signal),
  };
  await waitUntil("the control plane is ready", () => isReady(address), 120_000);
  await waitUntil("the agent leases tasks", () => readFileSync(logFile, "utf8").includes(" long and "), 180_000);
  const { database } = JSON.parse(readFileSync(join(home, "server.json"), "utf8")) as { database: string };
  const connect = async (): Promise<{ host: string; port: number; user: string; database: string }> => {
    const lock = readFileSync(join(database, "postmaster.pid"), "utf8").split("\n");
    return { host: lock[4] ?? "", port: Number(lock[3]), user: "cloudwright", database: "cloudwright" };
  };
  return {
    name: "embedded",
    directory,
    journal,
    adminKey: readFileSync(join(home, "admin.key"), "utf8").trim(),
    servers: [{ address, end: (signal, downMs) => server.end(signal, downMs) }],
    agents: () => [agent],
    clocks: [clock],
    async restartDatabase(mode) {
      const pid = await findPostmaster(database);
      if (pid === undefined) return;
      await killAndWait(pid, ({ fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const)[mode]);
    },
    query: (text, values) => queryWithRetry(connect, text, values),
    startTwin: () =>
      runToEnd([node, agentProgram], {
        cwd: root,
        environment: { ...environment, CLOUDWRIGHT_SERVER: address, CLOUDWRIGHT_AGENT_DIR: join(home, "agent") },
      }),
    async stop() {
      await server.stop();
      // An agent whose control plane was killed exits only after a grace period.
      const deadline = systemClock.now() + 30_000;
      while (findAgents().length > 0 && systemClock.now() < deadline) await systemClock.sleep(100);
    },
    async remove() {
      await removeHome(home);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
