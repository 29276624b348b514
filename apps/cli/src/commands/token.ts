import { InvalidArgumentError } from "commander";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { parseDuration } from "../duration.ts";
import { addCommonFlags } from "../common-flags.ts";
import { isStructured } from "../output/output.ts";

/**
 * `cloud token create`: creates a signed token for another service, valid for at most five minutes. Standard output contains only the
 * token.
 */
export const configureToken: Configure = (command, context) => {
  addCommonFlags(command);
  const create = command.command("create").description("Create a signed token, valid for at most five minutes.");
  create
    .requiredOption("--audience <service>", "service that the token is for; `cloudwright` means this API")
    .option("--ttl <duration>", "lifetime, from 30s to 5m (default: 5m)", (text) => {
      const ms = parseDuration(text);
      if (ms === undefined) throw new InvalidArgumentError("Use a duration such as 90s.");
      return Math.ceil(ms / 1000);
    })
    .option("--single-use", "the token is accepted only once");
  addExamples(create, "cloud token create --audience cloudwright --ttl 60s");
  onServer(create, context, async ({ client, output, world }, _args, flags) => {
    const request = {
      audience: flags["audience"] as string,
      ttlSeconds: (flags["ttl"] as number | undefined) ?? 0,
      singleUse: flags["singleUse"] === true,
    };
    const answer = await client.createToken(request, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(answer);
    output.note(`the token expires at ${answer.expiresAt}`);
    output.line(answer.token ?? "");
  });
};
