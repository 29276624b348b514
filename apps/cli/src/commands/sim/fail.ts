import { InvalidArgumentError, Argument, Option } from "commander";
import { addExamples, onServer, type Configure, type FlagValues } from "../../command-context.ts";
import { parseDuration } from "../../duration.ts";
import { parseCount } from "../../list-flags.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, requireAccount } from "./account.ts";
import { renderMoment, renderWhat } from "./faults.ts";

const operations = ["create", "read", "update", "delete", "plan", "validate", "configure", "import", "data", "start"];
const kinds = ["error", "crash", "hang", "lost_reply", "rubbish", "slow"];

/** `cloud sim fail create aws_vpc --nth 2 --message ...`: what goes wrong, at which call. */
export const configureSimFail: Configure = (command, context) => {
  command
    .addArgument(new Argument("<operation>", "at which kind of call").choices(operations))
    .argument("[type]", "only calls about this type, such as aws_vpc")
    .addOption(
      new Option("--kind <kind>", "what goes wrong; lost_reply does the work and loses the answer")
        .choices(kinds)
        .default("error"),
    )
    .option("--message <text>", "what the cloud says, of an error: 'VpcLimitExceeded: no more of them'")
    .option("--after-effect", "do the work before the error is told")
    .option("--deaf", "do not even hear a call to stop, of a hang")
    .option("--delay <duration>", "how late the answer comes, of a slow one: 500ms, 30s", parseDelay)
    .option("--nth <number>", "from which matching call on (1)", parseCount)
    .option("--times <number>", "how often (1)", parseCount);
  addAccountFlag(command);
  addExamples(
    command,
    "cloud sim fail create aws_nat_gateway --message 'NatGatewayLimitExceeded: no more' --account sandbox",
    "cloud sim fail create aws_subnet --nth 2 --kind lost_reply",
    "cloud sim fail read --kind slow --delay 5s --times 10",
  );
  onServer(command, context, async (session, [operation = "", type = ""], flags) => {
    const { client, output, project, world } = session;
    const account = await requireAccount(session, flags);
    const wanted = { operation, type, ...readFault(flags) };
    const fault = await client.simulations.fail(project, account, wanted, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(fault);
    if (output.format === "name") return output.line(fault.uid ?? "");
    output.done(`simulated account/${account}: ${renderWhat(fault)} at ${renderMoment(fault)}`);
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
  const said = message ?? (kind === "error" ? "InternalFailure: this simulated fault was asked for" : undefined);
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
  if (ms === undefined || ms === 0) throw new InvalidArgumentError("It takes a duration such as 500ms or 30s.");
  return ms;
}
