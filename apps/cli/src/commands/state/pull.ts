import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { requireStack } from "../../stack-uid.ts";
import { addStackArgument, parseVersion } from "./stack.ts";

/** `cloud state pull cluster/dev`: prints the state verbatim. Standard output contains nothing else. */
export const configureStatePull: Configure = (command, context) => {
  addStackArgument(command).argument("[version]", "version (default: the newest)", parseVersion);
  addExamples(command, "cloud state pull cluster/dev > terraform.tfstate", "cloud state pull cluster/dev 3 > terraform.tfstate");
  onServer(command, context, async (session, [entity = "", version]) => {
    const { client, output, project, world } = session;
    const asked = { version: version === undefined ? undefined : Number(version), signal: world.signal };
    const { content = "" } = await client.states.content(project, await requireStack(session, entity), asked);
    output.note("a state contains secrets: store it securely");
    world.stdout.write(content);
  });
};
