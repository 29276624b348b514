import { issueOwnJoinToken, type ApiDeps } from "@cloudwright/api";
import { pickAgentEnvironment, processEnvironment, type EngineConfig, type Logger, type Shutdown } from "@cloudwright/platform";
import { findEntity } from "@cloudwright/store";
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const program = join(import.meta.dirname, "../../agent/src/main.ts");
const restartMs = 1000;
const stopSeconds = 10;

/**
 * Runs an agent as a child process that uses the same protocol as any other agent. The child gets its own environment variables, not the
 * server's. The child is restarted when it exits, and stops when this process ends, even after a crash.
 */
export function startEmbeddedAgent(
  deps: Pick<ApiDeps, "pool" | "clock"> & { readonly log: Logger; readonly shutdown: Shutdown },
  config: Pick<EngineConfig, "demoHandlers">,
  where: { readonly home: string; readonly server: string },
): void {
  const { log, shutdown, clock } = deps;
  const directory = join(where.home, "agent");
  const environment = pickAgentEnvironment(processEnvironment);
  let child: ChildProcess | undefined;
  const run = async (): Promise<void> => {
    while (!shutdown.signal.aborted) {
      try {
        const identity = await prepareIdentity(deps, directory);
        // An agent started after shutdown has begun would never be stopped.
        if (shutdown.signal.aborted) break;
        child = spawn(process.execPath, [program], {
          stdio: ["pipe", "inherit", "inherit"],
          env: {
            ...environment,
            CLOUDWRIGHT_SERVER: where.server,
            CLOUDWRIGHT_AGENT_DIR: directory,
            CLOUDWRIGHT_AGENT_STOPS_WITH_INPUT: "1",
            CLOUDWRIGHT_AGENT_STOP_SECONDS: environment["CLOUDWRIGHT_AGENT_STOP_SECONDS"] ?? String(stopSeconds),
            CLOUDWRIGHT_DEMO_HANDLERS: config.demoHandlers ? "1" : "",
            ...identity,
          },
        });
        const code = await new Promise((resolve) => child?.once("exit", resolve).once("error", resolve));
        if (!shutdown.signal.aborted) log.warn({ code }, "the embedded agent exited; restarting it");
      } catch (error) {
        log.warn({ err: error }, "could not start the embedded agent; retrying");
      }
      await clock.sleep(restartMs, shutdown.signal).catch(() => undefined);
    }
  };
  const running = run();
  shutdown.onClose("embedded agent", () => {
    child?.kill("SIGTERM");
    return running;
  });
}

/** Reuses the stored identity if the agent exists in this database. Otherwise the agent joins again under an unused name. */
async function prepareIdentity(deps: Pick<ApiDeps, "pool" | "clock">, directory: string): Promise<Record<string, string>> {
  const file = join(directory, "agent.json");
  const known = readIdentity(file);
  const find = (ref: string): ReturnType<typeof findEntity> =>
    findEntity(deps.pool, { kind: "Agent", project: "system", namingScope: "", ref });
  if (known !== undefined && known.uid !== "" && (await find(known.uid)) !== undefined)
    return { CLOUDWRIGHT_AGENT_NAME: known.name };
  // The identity belongs to a different database and may still be needed there.
  if (existsSync(file)) renameSync(file, `${file}.${deps.clock.now()}`);
  const token = await issueOwnJoinToken(deps);
  const own = `embedded-${createHash("sha256").update(`${hostname()} ${directory} ${deps.clock.now()}`).digest("hex").slice(0, 8)}`;
  const name = (await find("embedded")) === undefined ? "embedded" : own;
  return { CLOUDWRIGHT_AGENT_NAME: name, CLOUDWRIGHT_JOIN_TOKEN: token.reveal() };
}

function readIdentity(file: string): { readonly name: string; readonly uid: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { name: string; uid: string };
  } catch {
    return undefined;
  }
}
