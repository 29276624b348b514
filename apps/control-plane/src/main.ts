import {
  createLogger,
  createShutdown,
  describeError,
  Fault,
  processEnvironment,
  readEngineConfig,
  readServerConfig,
} from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { boundShutdown } from "./bound-shutdown.ts";
import { startControlPlane } from "./control-plane.ts";

/** Deadline for shutdown. It exceeds the time that the embedded agent may take to return its tasks. */
const stopMs = 45_000;

const help = `npm start [-- --roles api,tasks,reconciler,agent]

Runs the control plane: the API (api), the task endpoint for agents (tasks), the reconciler (reconciler) and an embedded agent (agent).
Without --roles it runs all of them. Settings are environment variables; see docs/reference/settings.md.
`;

// Ignore errors from a closed standard output, which would otherwise crash the server.
process.stdout.on("error", () => undefined);

try {
  const { values } = parseArgs({ options: { roles: { type: "string" }, help: { type: "boolean", short: "h" } } });
  if (values.help === true) {
    process.stdout.write(help);
    process.exit(0);
  }
  const config = readServerConfig(processEnvironment);
  const engine = readEngineConfig(processEnvironment, values.roles);
  const log = createLogger({ level: config.logLevel, name: "control-plane" });
  const shutdown = createShutdown({ log }, { signals: true });
  boundShutdown({ log, shutdown, exit: (code) => process.exit(code) }, stopMs);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  await startControlPlane({ log, shutdown, print, isTerminal: process.stdout.isTTY }, config, engine).catch(
    async (error: unknown) => {
      await shutdown.close("could not start");
      throw error;
    },
  );
} catch (error) {
  const advice = error instanceof Fault ? `\n${error.help} (${error.code})` : "";
  process.stderr.write(`cloudwright cannot start: ${describeError(error)}${advice}\n`);
  process.exit(1);
}
