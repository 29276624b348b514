import { Command } from "commander";
import { addCommonFlags } from "./common-flags.ts";
import { commandTable } from "./command-table.ts";
import { addLazyCommands } from "./lazy-commands.ts";
import type { World } from "./world.ts";

/** Creates the root command. Subcommands are loaded on first use. */
export function createProgram(world: World): Command {
  const program = new Command("cloud")
    .description("Kubernetes clusters in your own cloud accounts.")
    .usage("<command> [arguments] [flags]")
    .helpCommand(false)
    // Options after a command's name belong to that command. In `cloud k8s create --version v1.29.0`, the option is the Kubernetes
    // version.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      writeErr: (text) => world.stderr.write(text),
      outputError: () => undefined,
      getOutHasColors: () => false,
    });
  addCommonFlags(program).version(world.version, "-V, --version", "show the version of the CLI");
  program.addHelpText("after", examples);
  addLazyCommands(program, commandTable, { world });
  return program;
}

const examples = `
Both orders work: \`cloud cluster get dev\` is the same as \`cloud get cluster dev\`. Entities can be given by name or uid.

Examples:
  $ cloud apply -f infrastructure.yaml --wait
  $ cloud k8s create --name dev-cluster --vpc main --workers 2 --version v1.29.0
  $ cloud get clusters -o wide --watch
  $ cloud help exit-codes`;
