import { createLogger, createShutdown, describeError, Fault, processEnvironment, readServerConfig } from "@cloudwright/platform";
import { startControlPlane } from "./control-plane.ts";

try {
  const config = readServerConfig(processEnvironment);
  const log = createLogger({ level: config.logLevel, name: "control-plane" });
  const shutdown = createShutdown({ log }, { signals: true });
  await startControlPlane({ log, shutdown, print: (line) => void process.stdout.write(`${line}\n`) }, config).catch(
    async (error: unknown) => {
      await shutdown.close("could not start");
      throw error;
    },
  );
} catch (error) {
  const help = error instanceof Fault ? `\n${error.help} (${error.code})` : "";
  process.stderr.write(`cloudwright cannot start: ${describeError(error)}${help}\n`);
  process.exit(1);
}
