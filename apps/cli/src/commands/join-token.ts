import { InvalidArgumentError } from "commander";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { parseDuration } from "../duration.ts";
import { checkKind } from "../list-flags.ts";
import { isStructured } from "../output/output.ts";
import { requireKind, requireVerb } from "../references.ts";

const file = "join-token.txt";

/** `cloud agent join-token`: creates a token that lets one agent join. Standard output contains only the token. */
export const configureJoinToken: Configure = (command, context) => {
  if (context.kind === undefined) command.argument("[kind]", "agent", checkKind);
  command.option("--ttl <duration>", "lifetime of the token, up to 24h (default: 1h)", (text) => {
    const ms = parseDuration(text);
    if (ms === undefined) throw new InvalidArgumentError("Use a duration such as 30m.");
    return Math.ceil(ms / 1000);
  });
  addExamples(command, `cloud agent join-token > ${file}`, `cloud -p system agent join-token --ttl 10m > ${file}`);
  onServer(command, context, async ({ client, output, project, target, world }, [word], flags) => {
    if (word !== undefined) requireVerb(requireKind(word), "join-token");
    const ttlSeconds = flags["ttl"] as number | undefined;
    const answer = await client.agents.createJoinToken(project, { ttlSeconds, signal: world.signal });
    if (isStructured(output.format)) return output.structure(answer);
    const tasks = project === "system" ? "tasks for all projects" : `tasks for project ${project}`;
    output.note(`this token lets one agent join and run ${tasks}; it expires at ${answer.expiresAt}`);
    // The token is passed in a file, because other processes on the machine can read command-line arguments.
    output.note(`save it to ${file} (mode 0600) on the agent's machine and start the agent in a clone of the repository with:`);
    output.note(`  CLOUDWRIGHT_SERVER=${target.server} CLOUDWRIGHT_JOIN_TOKEN_FILE=${file} npm run agent`);
    output.line(answer.joinToken ?? "");
  });
};
