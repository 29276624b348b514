import { CommanderError } from "commander";
import { ExitRequest, exitCodeOf } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./report-error.ts";
import type { World } from "./world.ts";

export async function runCli(args: readonly string[], world: World): Promise<number> {
  const program = createProgram(world);
  try {
    if (args.length === 0) {
      program.outputHelp();
      return 2;
    }
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (world.signal.aborted) return 130;
    const code = exitCodeOf(error);
    const isSilent =
      error instanceof ExitRequest || (error instanceof CommanderError && (code === 0 || error.code === "commander.help"));
    if (!isSilent) reportError(world.stderr, error);
    return code;
  }
}
