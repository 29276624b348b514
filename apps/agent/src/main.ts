import { createLogger, createShutdown, describeError, Fault, processEnvironment } from "@cloudwright/platform";
import { parseArgs } from "node:util";
import { fetchTerraform } from "./fetch-terraform.ts";
import { helpText } from "./help-text.ts";
import { joinOnly } from "./join-only.ts";
import { readConfig } from "./read-config.ts";
import { runAgent } from "./run-agent.ts";
import { runDeployer } from "./run-deployer.ts";

// The agent keeps running after its standard output is closed.
process.stdout.on("error", () => undefined);

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" }, demo: { type: "boolean" } },
  });
  const command = positionals[0] ?? "run";
  if (values.help === true) {
    process.stdout.write(helpText);
    process.exit(0);
  }
  const commands = { run: runAgent, join: joinOnly, deployer: runDeployer, "fetch-terraform": fetchTerraform };
  if (positionals.length > 1 || !(command in commands)) {
    process.stderr.write(`cloudwright-agent: "${positionals.join(" ")}" is not a command\n\n${helpText}`);
    process.exit(2);
  }
  const environment = values.demo === true ? { ...processEnvironment, CLOUDWRIGHT_DEMO_HANDLERS: "1" } : processEnvironment;
  const config = readConfig(environment);
  const log = createLogger({ level: config.logLevel, name: "agent" });
  const shutdown = createShutdown({ log }, { signals: true });
  if (config.stopsWithInput) {
    process.stdin.resume().once("close", () => void shutdown.close("standard input was closed").then(() => process.exit(0)));
  }
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  await commands[command as keyof typeof commands]({ log, shutdown, print }, config).catch(async (error: unknown) => {
    await shutdown.close("the agent could not start");
    throw error;
  });
} catch (error) {
  const help = error instanceof Fault ? `\n${error.help} (${error.code})` : "";
  process.stderr.write(`cloudwright-agent cannot start: ${describeError(error)}${help}\n`);
  process.exit(1);
}
