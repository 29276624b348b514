import type { JsonObject } from "@cloudwright/deployer";
import { parseJson } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import { text } from "node:stream/consumers";

/** A `Spawn` that also evaluates outputs. */
export interface OutputEvaluation {
  readonly spawn: Spawn;
  /** Returns what `terraform output` printed. Throws if no refresh-only plan was started. */
  result(): JsonObject;
}

/**
 * Before each refresh-only plan, applies a refresh in the plan's directory, which evaluates all outputs against the state as it is, and reads
 * them with `terraform output`. A failure of either command is thrown.
 */
export function evaluateOutputs(spawn: Spawn): OutputEvaluation {
  let outputs: JsonObject | undefined;
  const run = async (...[program, args, options]: Parameters<Spawn>): Promise<string> => {
    const child = await spawn(program, args, options);
    child.stdin.end();
    const [out, problems, { code }] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
    // Terraform refuses to apply a refresh that changes only outputs with unknown values. It has evaluated them nevertheless.
    const isRefused = problems.includes("Cannot apply non-applyable plan");
    if (code !== 0 && !isRefused) throw new Error(`terraform ${args.join(" ")} exited with ${code}: ${out}${problems}`);
    return out;
  };
  return {
    async spawn(program, args, options) {
      if (args[0] === "plan" && args.includes("-refresh-only")) {
        await run(program, ["apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color"], options);
        outputs = parseJson(await run(program, ["output", "-json"], options)) as JsonObject;
      }
      return spawn(program, args, options);
    },
    result() {
      if (outputs === undefined) throw new Error("no refresh-only plan was started");
      return outputs;
    },
  };
}
