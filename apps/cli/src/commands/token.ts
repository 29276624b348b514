import { InvalidArgumentError } from "commander";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { parseDuration } from "../duration.ts";
import { addCommonFlags } from "../common-flags.ts";
import { isStructured } from "../output/output.ts";

/** `cloud token create`: a signed token for a call to another service, five minutes at most; nothing else on standard output. */
export const configureToken: Configure = (command, context) => {
  addCommonFlags(command);
  const create = command.command("create").description("Make a signed token, five minutes at most.");
  create
    .requiredOption("--audience <service>", "the service that will be called; `cloudwright` is this API")
    .option("--ttl <duration>", "how long it is valid: 30s to 5m (5m)", (text) => {
      const ms = parseDuration(text);
      if (ms === undefined) throw new InvalidArgumentError("It takes a duration such as 90s.");
      return Math.ceil(ms / 1000);
    })
    .option("--single-use", "accepted once only");
  addExamples(create, "cloud token create --audience cloudwright --ttl 60s");
  onServer(create, context, async ({ client, output, world }, _args, flags) => {
    const request = {
      audience: flags["audience"] as string,
      ttlSeconds: (flags["ttl"] as number | undefined) ?? 0,
      singleUse: flags["singleUse"] === true,
    };
    const answer = await client.createToken(request, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(answer);
    output.note(`valid until ${answer.expiresAt}`);
    output.line(answer.token ?? "");
  });
};
