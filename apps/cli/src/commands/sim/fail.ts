import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { InvalidArgumentError, Argument, Option } from "commander";
import { addExamples, onServer, type Configure, type FlagValues } from "../../command-context.ts";
import { parseDuration } from "../../duration.ts";
import { parseCount } from "../../list-flags.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, requireAccount } from "./account.ts";
import { renderMoment, renderWhat } from "./faults.ts";

const operations = ["create", "read", "update", "delete", "plan", "validate", "configure", "import", "data", "start", "call"];
const kinds = ["error", "crash", "hang", "lost_reply", "truncated", "rubbish", "slow"];

const { exhausted, subnet } = getCloud(defaultCloud).examples;

/** `cloud sim fail create TYPE --nth 2 --message ...`: injects a fault into matching calls. */
export const configureSimFail: Configure = (command, context) => {
  command
    .addArgument(new Argument("<operation>", "type of call to fail").choices(operations))
    .argument("[type]", "fail only calls for this resource type; with `call`, the name of the API operation")
    .addOption(
      new Option("--kind <kind>", "type of fault; lost_reply performs the call but loses the response")
        .choices(kinds)
        .default("error"),
    )
    .option("--message <text>", "for errors: the message, such as 'VpcLimitExceeded: limit reached'")
    .option("--after-effect", "for errors: perform the call before reporting the error")
    .option("--deaf", "for hangs: also ignore requests to stop the call")
    .option("--delay <duration>", "for slow responses: the delay, such as 500ms or 30s", parseDelay)
    .option(
      "--nth <number>",
      "position of the first call to fail among the matching calls, starting with 1 (default: 1)",
      parseCount,
    )
    .option("--times <number>", "number of calls to fail (default: 1)", parseCount);
  addAccountFlag(command);
  addExamples(
    command,
    `cloud sim fail create ${exhausted.type} --message '${exhausted.message}' --account sandbox`,
    `cloud sim fail create ${subnet.type} --nth 2 --kind lost_reply`,
    "cloud sim fail read --kind slow --delay 5s --times 10",
  );
  onServer(command, context, async (session, [operation = "", type = ""], flags) => {
    const { client, output, project, world } = session;
    const account = await requireAccount(session, flags);
    const wanted = { operation, type, ...readFault(flags) };
    const fault = await client.simulations.fail(project, account, wanted, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(fault);
    if (output.format === "name") return output.line(fault.uid ?? "");
    output.done(`simulated account/${account}: fault injected for ${renderMoment(fault)}: ${renderWhat(fault)}`);
  });
};

function readFault(flags: FlagValues): {
  kind: string;
  message?: string;
  delayMs?: number;
  afterEffect: boolean;
  deaf: boolean;
  nth: number;
  times: number;
} {
  const { kind, message, delay } = flags as { kind: string; message?: string; delay?: number };
  const said = message ?? (kind === "error" ? "InternalFailure: simulated fault" : undefined);
  return {
    kind,
    ...(said === undefined ? {} : { message: said }),
    ...(delay === undefined ? {} : { delayMs: delay }),
    afterEffect: flags["afterEffect"] === true,
    deaf: flags["deaf"] === true,
    nth: (flags["nth"] as number | undefined) ?? 1,
    times: (flags["times"] as number | undefined) ?? 1,
  };
}

function parseDelay(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms === 0) throw new InvalidArgumentError("Use a duration such as 500ms or 30s.");
  return ms;
}
